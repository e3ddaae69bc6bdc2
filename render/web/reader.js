"use strict";

/* Reader: the page's data as pack.c wrote them; strings first. */
class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
		this.strings = this.readStrings();
	}

	uint() {
		let value = 0, scale = 1, byte;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte > 127);
		return value;
	}

	int() {
		const v = this.uint();
		return v % 2 ? -(v + 1) / 2 : v / 2;
	}

	float() {
		const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 4);
		this.at += 4;
		return view.getFloat32(0, true);
	}

	string() {
		return this.strings[this.uint()];
	}

	readStrings() {
		const lengths = Array.from({length: this.uint()}, () => this.uint());
		const decoder = new TextDecoder();
		return lengths.map(n => decoder.decode(this.bytes.subarray(this.at, this.at += n)));
	}
}

/* The bytes in an element's base64, inflated. */
async function inflate(base64) {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++)
		bytes[i] = text.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}
