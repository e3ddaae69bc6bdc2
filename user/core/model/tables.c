#include "model/cell.h"
#include "model/profile.h"

#define TABLE(name, row)  extern const struct table name##_table;
#define VALUED(name, row) TABLE(name, row)
#include "model/tables.def"
#undef TABLE

const struct table_place profile_tables[] = {
#define TABLE(name, row) {&name##_table, offsetof(struct profile, name)},
#include "model/tables.def"
#undef TABLE
#undef VALUED
	{0},
};

const struct column *table_parent(const struct table_place *t)
{
	for (size_t i = 0; i < t->table->n_columns; i++)
		if (t->table->columns[i].refers == table_id_of(t))
			return &t->table->columns[i];
	return NULL;
}

size_t column_bytes(const struct column *c)
{
	static const uint8_t bytes[] = {
		[COLUMN_U8] = 1,  [COLUMN_U32] = 4,  [COLUMN_U64] = 8,	 [COLUMN_I64] = 8,
		[COLUMN_F64] = 8, [COLUMN_TEXT] = 4, [COLUMN_I128] = 16,
	};

	return bytes[c->type];
}
