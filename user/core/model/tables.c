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
