/*
 * table_rule: what call frame information says of a place in code, as the table's rule for it;
 * and the distinct rules of one file. Only for the table_build files.
 */
#ifndef UNWIND_TABLE_RULE_H
#define UNWIND_TABLE_RULE_H

#include "base/hash.h"
#include "base/vec.h"
#include "cfi/cfi.h"
#include "sample/table.h"

/* What a rule cannot express is left to user space: *_OTHER. */
struct table_rule table_rule_of(const struct cfi_row *);

/* Rule 0 says that there is none, rule 1 that only user space can tell. */
#define TABLE_RULE_NONE	 0
#define TABLE_RULE_OTHER 1

struct table_rules {
	VEC(struct table_rule) at;
	struct map by_hash;
};

void table_rules_init(struct table_rules *);
/* Its number; TABLE_RULE_OTHER once 65,535 are taken. */
uint16_t table_rules_add(struct table_rules *, const struct table_rule *);
void table_rules_release(struct table_rules *);

#endif
