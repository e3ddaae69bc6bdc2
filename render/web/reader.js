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

	/* @n of them, in @column, a typed array: quicker than one at a time. */
	uints(column) {
		const {bytes} = this, n = column.length;
		let {at} = this;
		for (let i = 0; i < n; i++) {
			let byte = bytes[at++], value = byte & 127;
			for (let scale = 128; byte > 127; scale *= 128) {
				byte = bytes[at++];
				value += (byte & 127) * scale;
			}
			column[i] = value;
		}
		this.at = at;
		return column;
	}

	ints(column) {
		this.uints(column);
		for (let i = 0; i < column.length; i++)
			column[i] = column[i] % 2 ? -(column[i] + 1) / 2 : column[i] / 2;
		return column;
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

/* The digit of each character of the page's data; see pack.h. */
function digitOf(code) {
	return code < 60 ? code - 36 : code < 62 ? 24 : code - 38;
}

/* Bytes of text in base 85: four in five characters, most significant first; of the last group of
 * fewer bytes one character more than there are bytes. */
function decode85(text) {
	const n = Math.floor(text.length / 5) * 4 + Math.max(0, text.length % 5 - 1);
	const bytes = new Uint8Array(n);
	for (let i = 0, at = 0; i < text.length; i += 5) {
		let v = 0;
		for (let k = 0; k < 5; k++)
			v = v * 85 + (i + k < text.length ? digitOf(text.charCodeAt(i + k)) : 84);
		for (let shift = 24; shift >= 0 && at < n; shift -= 8)
			bytes[at++] = v / 2 ** shift;
	}
	return bytes;
}

/* The bytes that stand in an element of the page, inflated. */
async function inflate(text) {
	const stream = new Blob([decode85(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}
