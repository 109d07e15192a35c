// Prints self and total per function of a profile's default kind, as npm pprof-format decodes it.
const fs = require("node:fs");
const path = require("node:path");
const zlib = require("node:zlib");

const { Profile } = require(path.join(process.env.SPROF_NODE_MODULES, "pprof-format"));

const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(process.argv[2])));
const string = (index) => profile.stringTable.strings[Number(index)];
const wanted = string(profile.defaultSampleType);
const kind = profile.sampleType.findIndex((type) => string(type.type) === wanted);
const functions = new Map(profile.function.map((f) => [BigInt(f.id), string(f.name)]));
const locations = new Map(profile.location.map((location) => [BigInt(location.id), location]));
const self = {};
const total = {};

for (const sample of profile.sample) {
	const value = Number(sample.value[kind]);
	const names = sample.locationId.flatMap((id) =>
		locations.get(BigInt(id)).line.map((line) => functions.get(BigInt(line.functionId))));

	if (!names.length)
		continue;
	self[names[0]] = (self[names[0]] || 0) + value;
	for (const name of new Set(names))
		total[name] = (total[name] || 0) + value;
}
console.log(JSON.stringify({ self, total }));
