#!/usr/bin/python3 -B
"""Prints the table of layers.txt as the picture of the allowed includes in docs/how-it-works.md.

An arrow goes from a folder to one that it may include; arrows that follow from others are left out.

usage: layers_picture.py
"""
from pathlib import Path

import layers


def reduced_arrows(rules):
    """Returns, for each folder, its direct includes without those reachable through another one."""
    direct = {
        folder: {
            inner
            for inner in rules.allowed
            if inner != folder and any(layers.inside(inner, entry.partition(".")[0]) for entry in entries)
        }
        | {rules.folder_of(entry) for entry in entries if "." in entry}
        for folder, entries in rules.allowed.items()
    }
    whole = {}
    for folder in rules.allowed:  # each row follows the rows it names
        whole[folder] = direct[folder].union(*(whole[inner] for inner in direct[folder]))
    return {
        folder: [inner for inner in rules.allowed if inner in near and not any(inner in whole[other] for other in near)]
        for folder, near in direct.items()
    }


def picture(rules):
    lines = ["flowchart RL"]
    for folder, near in reduced_arrows(rules).items():
        lines += [f"  {folder} --> {' & '.join(near)}" if near else f"  {folder}"]
    return "\n".join(lines)


if __name__ == "__main__":
    table = Path(__file__).resolve().parent / "layers.txt"
    print(picture(layers.Rules(table.read_text(encoding="utf-8"))))
