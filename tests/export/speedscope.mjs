// SPDX-License-Identifier: MIT
// speedscope.mjs -- does a file keep to https://www.speedscope.app/file-format-schema.json?
//
//     node speedscope.mjs FILE
//
// Every member that the schema knows for sampled profiles is looked at; others are refused, but for
// what it leaves open. Prints the sum of the weights of each profile.

import { readFileSync } from "node:fs";

const file = JSON.parse(readFileSync(process.argv[2], "utf8"));

function check(holds, words) {
	if (!holds) {
		console.error(words);
		process.exit(1);
	}
}

function members(object, where, required, optional) {
	check(object && typeof object === "object" && !Array.isArray(object), `${where} is no object`);
	for (const key of required)
		check(key in object, `${where} has no ${key}`);
	for (const key of Object.keys(object))
		check(required.includes(key) || optional.includes(key), `${where} has a ${key}`);
}

members(file, "the file", ["$schema", "shared", "profiles"],
	["name", "exporter", "activeProfileIndex"]);
check(file.$schema === "https://www.speedscope.app/file-format-schema.json", "another $schema");
members(file.shared, "shared", ["frames"], []);
check(Array.isArray(file.shared.frames), "frames is no array");
for (const [i, frame] of file.shared.frames.entries()) {
	members(frame, `frame ${i}`, ["name"], ["file", "line", "col"]);
	check(typeof frame.name === "string", `the name of frame ${i}`);
	check(!("file" in frame) || typeof frame.file === "string", `the file of frame ${i}`);
	check(!("line" in frame) || Number.isInteger(frame.line), `the line of frame ${i}`);
}
check(Array.isArray(file.profiles) && file.profiles.length > 0, "no profile");
for (const [i, p] of file.profiles.entries()) {
	const where = `profile ${i}`;
	members(p, where, ["type", "name", "unit", "startValue", "endValue", "samples", "weights"], []);
	check(p.type === "sampled" && p.unit === "bytes" && typeof p.name === "string", where);
	check(Array.isArray(p.samples) && Array.isArray(p.weights), where);
	check(p.samples.length === p.weights.length, `${where}: samples and weights`);
	for (const sample of p.samples) {
		check(Array.isArray(sample) && sample.length > 0, `${where}: an empty sample`);
		for (const frame of sample)
			check(Number.isInteger(frame) && frame >= 0 &&
				frame < file.shared.frames.length, `${where}: frame ${frame}`);
	}
	const sum = p.weights.reduce((a, b) => a + b, 0);
	check(p.startValue === 0 && p.endValue === sum, `${where}: endValue`);
	console.log(sum);
}
