/*
 * table_rule: translates call frame information for one place in code to a rule of the table, and
 * collects the distinct rules of one file. Only for the table_build files.
 */
#ifndef UNWIND_TABLE_RULE_H
#define UNWIND_TABLE_RULE_H

#include "base/hash.h"
#include "base/vec.h"
#include "cfi/cfi.h"
#include "elf/budget.h"
#include "sample/table.h"

/* What a rule cannot express becomes *_OTHER, for user space to evaluate. */
struct table_rule table_rule_of(const struct cfi_row *);

/* Rule 0: no rule. Rule 1: only user space can evaluate it. */
#define TABLE_RULE_NONE	 0
#define TABLE_RULE_OTHER 1

struct table_rules {
	struct budget *budget; /* of the file; borrowed */
	VEC(struct table_rule) at;
	struct map by_hash;
};

void table_rules_init(struct table_rules *, struct budget *);
/* The number of the rule; TABLE_RULE_OTHER once 65,535 are taken. */
uint16_t table_rules_add(struct table_rules *, const struct table_rule *);
void table_rules_release(struct table_rules *);

#endif
