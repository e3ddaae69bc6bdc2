// The data of HTML reports, read by the script of each, and printed as JSON: {PAGE: [parts]}.
//
//	node page.js PAGE…
"use strict";

const fs = require("fs");
const vm = require("vm");

/* What stands between @begin and @end in @text. */
function between(text, begin, end) {
	const from = text.indexOf(begin) + begin.length;
	if (from < begin.length)
		throw new Error(`the page has no ${begin}`);
	return text.slice(from, text.indexOf(end, from));
}

/* As Report.read() of render/web/page.js, but without a document. */
const READ = `
(async text => {
	const reader = new Reader(await inflate(text)), parts = [];
	for (let tag = reader.uint(); tag; tag = reader.uint())
		if (tag === TAG_FLAME)
			parts.push({flame: {...readTree(reader)}});
		else if (tag === TAG_SAMPLES)
			parts.push({samples: readSamples(reader)});
		else if (tag === TAG_SAMPLED)
			parts.push({sampled: {model: reader.uint(), metric: reader.uint()}});
		else if (tag === TAG_DIFF)
			parts.push({diff: {...readDiff(reader)}});
		else if (typeof TAG_KINDS !== "undefined" && tag === TAG_KINDS)
			readKinds(reader);
		else if (tag === TAG_TABLE)
			parts.push({table: Table.read(reader)});
		else
			throw new Error("a part of tag " + tag);
	if (reader.at !== reader.bytes.length)
		throw new Error("bytes behind the last part");
	return parts;
})`;

/* The digits of base 85 hold no "<", so the first end tag is the data's. */
async function partsOf(page) {
	const text = fs.readFileSync(page, "utf8");
	const data = between(text, "<script type=\"application/octet-stream\" class=\"data\">", "</script>");
	const script = between(text, "<script>\"use strict\";", "</script>").replace(/\nstart\(\);\s*$/, "\n");
	const context = vm.createContext({Blob, Response, DecompressionStream, TextDecoder});
	vm.runInContext(script, context);
	return vm.runInContext(READ, context)(data);
}

const plain = (key, value) => ArrayBuffer.isView(value) ? Array.from(value) : value;

async function main() {
	const all = {};
	for (const page of process.argv.slice(2))
		all[page] = await partsOf(page);
	process.stdout.write(JSON.stringify(all, plain));
}

main();
