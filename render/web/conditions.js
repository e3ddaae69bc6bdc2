/* Conditions of a table's filter: "mean>1ms calls<=10 module=libc". */

/* What a column is called in a condition: "mean" of mean_ns, "net mean" is netmean. */
function shortName(column) {
	return column.title.toLowerCase().replace(/\W/g, "") || column.key;
}

function findColumn(name, columns) {
	const n = name.toLowerCase();
	return columns.find(c => c.key.toLowerCase() === n) ||
		columns.find(c => c.kind !== CELL_BAR && shortName(c) === n) ||
		columns.find(c => c.key === n + "_ns");
}

/* A test of a row by number, or null where the value is none. */
function numberTest(column, sign, text) {
	const value = column.key.endsWith("_ns") ? Units.parseNs(text) : Number(text.replace(/%$/, ""));
	const tests = {
		">": v => v > limit, ">=": v => v >= limit, "<": v => v < limit, "<=": v => v <= limit,
		"=": v => v === limit, "!=": v => v !== limit,
	};
	const limit = Math.fround(value); /* as the cells' values are */
	return text && !isNaN(value) ? r => tests[sign](column.value[r]) : null;
}

function textTest(column, sign, text) {
	const {re} = searchPattern(text);
	return sign === "=" || sign === "!=" ? r => re.test(column.text[r]) === (sign === "=") : null;
}

/* A condition: a name, which may be an event's such as page-faults or cpu/event=0xc0/, a sign, a
 * value. */
const CONDITION = /^((?:[^\s<>=!/]|\/[^/]*\/)+)(>=|<=|!=|>|<|=)(.+)$/;

/* The words of a filter that are conditions on a column, and the rest of it. */
function parseFilter(filter, columns) {
	const conditions = [], rest = [];
	for (const word of filter.split(/\s+/)) {
		const [, name, sign, value] = CONDITION.exec(word) || [];
		const column = name && findColumn(name, columns);
		const test = column && (column.kind === CELL_TEXT ? textTest : numberTest)(column, sign, value);
		if (test)
			conditions.push(test);
		else
			rest.push(word);
	}
	return {conditions, text: conditions.length ? rest.join(" ").trim() : filter};
}

