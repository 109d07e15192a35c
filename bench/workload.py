"""A python3 program that burns CPU in many C functions of the interpreter, for ever."""

import json
import re


class Node:
    def __init__(self, depth):
        self.children = [Node(depth - 1) for _ in range(2)] if depth else []

    def fold(self, function):
        return function(self, [child.fold(function) for child in self.children])


def documents():
    tree = Node(6)
    return tree.fold(lambda node, below: {"size": 1 + sum(b["size"] for b in below), "below": below})


def words(text):
    return sorted(re.findall(r"[a-z]+(?=\W)|\d+", text), key=lambda word: (len(word), word))


def turn(number):
    text = json.dumps(documents(), sort_keys=True)
    found = {word: text.count(word) for word in set(words(text))}
    return hash(tuple(found.items())) ^ pow(3, number + 4000, 10 ** 60)


if __name__ == "__main__":
    print("ready", flush=True)
    total = 0
    while True:
        total ^= turn(total % 97)
