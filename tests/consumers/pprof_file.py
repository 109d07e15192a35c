"""A model as a saved profile: an encoder of profile.proto of the tests' own."""

import gzip

from model import WEIGHTS, value_of


def varint(value):
    value &= 2 ** 64 - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def data(field, value):
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    return varint(field << 3 | 2) + varint(len(value)) + value


class Encoder:
    """The tables of a file while they grow."""

    def __init__(self, weights=WEIGHTS):
        self.weights = weights
        self.strings, self.modules, self.functions, self.locations = {"": 0}, {}, {}, {}
        self.out = []

    def string(self, text):
        return self.strings.setdefault(text, len(self.strings)) if text else 0

    def module(self, module):
        if module is None:
            return 0
        if module not in self.modules:
            ident = self.modules[module] = len(self.modules) + 1
            start = getattr(module, "start", ident * 0x10000000)
            self.out.append(data(3, number(1, ident) + number(2, start)
                                 + number(3, start + 0x8000000)
                                 + number(4, getattr(module, "offset", 0))
                                 + number(5, self.string(module.path))
                                 + number(6, self.string(module.build_id or ""))
                                 + b"".join(number(has, 1) for has in (7, 8, 9, 10))))
        return self.modules[module]

    def function(self, function):
        if function not in self.functions:
            ident = self.functions[function] = len(self.functions) + 1
            linkage = "" if function.unresolved else function.linkage or function.name
            self.out.append(data(5, number(1, ident) + number(2, self.string(function.name))
                                 + number(3, self.string(linkage))
                                 + number(4, self.string(function.file or ""))
                                 + number(5, function.line)))
        return self.functions[function]

    def location(self, place, address=None):
        key = (tuple(place), address)
        if key not in self.locations:
            ident = self.locations[key] = len(self.locations) + 1
            module = place[0][0].module
            lines = b"".join(data(4, number(1, self.function(function)) + number(2, line))
                             for function, line in reversed(place))
            mapping = self.module(module)
            if address is None:
                address = mapping * 0x10000000 + 0x1000 + ident if mapping else 0
            self.out.append(data(4, number(1, ident) + number(2, mapping) + number(3, address)
                                 + lines))
        return self.locations[key]

    def label(self, key, value):
        if value in (None, ""):
            return b""
        return data(3, number(1, self.string(key)) + number(2, self.string(str(value))))

    def row(self, row, address_of=lambda place: None):
        ids = [self.location(place, address_of(place)) for place in reversed(row.stack)]
        thread = row.thread
        return data(2, data(1, b"".join(map(varint, ids)))
                    + data(2, b"".join(varint(value_of(row, weight)) for weight in self.weights))
                    + self.label("pid", thread.pid) + self.label("tid", thread.tid)
                    + self.label("process", thread.process) + self.label("thread", thread.name)
                    + self.label("host", thread.host) + self.label("rank", thread.rank)
                    + self.label("state", row.state))

    def finish(self):
        strings = [None] * len(self.strings)
        for text, index in self.strings.items():
            strings[index] = data(6, text)
        return b"".join(self.out) + b"".join(strings)


def encode(model, address_of=lambda place: None, comments=(), start=0):
    encoder = Encoder(model.weights)
    for weight in encoder.weights:
        unit = "count" if weight == "samples" else "nanoseconds"
        encoder.out.append(data(1, number(1, encoder.string(weight))
                                + number(2, encoder.string(unit))))
    encoder.out.append(number(14, encoder.string("wall")))
    for comment in comments:
        encoder.out.append(number(13, encoder.string(comment)))
    encoder.out.append(number(9, start))
    for row in model.rows:
        encoder.out.append(encoder.row(row, address_of))
    return encoder.finish()


def write(path, model, **keywords):
    with open(path, "wb") as file:
        file.write(gzip.compress(encode(model, **keywords), mtime=0))
    return path
