// Exits 1 with what is wrong when a file does not follow a JSON schema: check-schema.cjs SCHEMA FILE
const fs = require("node:fs");
const path = require("node:path");

const modules = process.env.SPROF_NODE_MODULES;
const schema = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const data = JSON.parse(fs.readFileSync(process.argv[3], "utf8"));
const is2020 = /2020-12/.test(schema.$schema || "");
const loaded = require(path.join(modules, is2020 ? "ajv/dist/2020" : "ajv"));
const Ajv = loaded.default || loaded;
const check = new Ajv({ strict: false }).compile(schema);

if (!check(data)) {
	console.error(JSON.stringify(check.errors, null, 1));
	process.exit(1);
}
