#include "unwind/table_rule.h"

#define MAX_RULES 65535

struct saved {
	uint8_t how; /* enum table_saved */
	short offset;
};

static bool fits(int64_t offset)
{
	return offset == (short)offset;
}

/* @reg is the rule's saved_reg, shared by all registers that were saved relative to a register:
 * CFI_RIP while there is none. */
static struct saved save(const struct cfi_value *v, uint8_t *reg)
{
	switch (v->how) {
	case CFI_SAME:
		return (struct saved){.how = TABLE_SAME};
	case CFI_UNDEFINED:
		return (struct saved){.how = TABLE_UNDEFINED};
	case CFI_AT_CFA:
		if (fits(v->offset))
			return (struct saved){TABLE_AT_CFA, (short)v->offset};
		break;
	case CFI_REG:
		if (!v->offset)
			return (struct saved){TABLE_IN_REG, v->reg};
		break;
	case CFI_AT_REG:
		if (v->add || !fits(v->offset) || (*reg != CFI_RIP && *reg != v->reg))
			break;
		*reg = v->reg;
		return (struct saved){TABLE_AT_DEREF, (short)v->offset};
	}
	return (struct saved){.how = TABLE_SAVED_OTHER};
}

static void set_cfa(struct table_rule *r, const struct cfi_value *v)
{
	switch (v->how) {
	case CFI_NONE:
		r->cfa = TABLE_CFA_NONE;
		return;
	case CFI_REG:
		r->cfa = TABLE_CFA_REG;
		break;
	case CFI_AT_REG:
		r->cfa = TABLE_CFA_DEREF;
		r->cfa_add = v->add;
		break;
	case CFI_PLT:
		r->cfa = TABLE_CFA_PLT;
		r->reg = CFI_RSP;
		r->cfa_add = (short)v->offset;
		return;
	default:
		r->cfa = TABLE_CFA_OTHER;
		return;
	}
	r->reg = v->reg;
	r->cfa_offset = v->offset;
}

struct table_rule table_rule_of(const struct cfi_row *row)
{
	struct table_rule r = {0};
	struct saved ra, bp;
	uint8_t reg = CFI_RIP;

	set_cfa(&r, &row->cfa);
	if (r.cfa == TABLE_CFA_NONE)
		return r;
	ra = save(&row->ra, &reg);
	bp = save(&row->bp, &reg);
	r.ra = ra.how;
	r.ra_offset = ra.offset;
	r.bp = bp.how;
	r.bp_offset = bp.offset;
	r.saved_reg = reg == CFI_RIP ? 0 : reg;
	r.flags = row->signal ? TABLE_SIGNAL : 0;
	return r;
}

static uint64_t hash_rule(const struct table_rule *r)
{
	uint64_t words[2];

	memcpy(words, r, sizeof(words));
	return hash_two(words[0], words[1]);
}

uint16_t table_rules_add(struct table_rules *rules, const struct table_rule *r)
{
	uint64_t hash = hash_rule(r);
	const uint32_t *found;
	bool fresh;

	/* Of rules with one hash the next stands under the next number. */
	while ((found = map_get(&rules->by_hash, hash))) {
		if (!memcmp(&rules->at.at[*found], r, sizeof(*r)))
			return (uint16_t)*found;
		hash++;
	}
	if (rules->at.n == MAX_RULES)
		return TABLE_RULE_OTHER;
	*map_put(&rules->by_hash, hash, &fresh) = (uint32_t)rules->at.n;
	vec_push(&rules->at, *r);
	return (uint16_t)(rules->at.n - 1);
}

void table_rules_init(struct table_rules *rules)
{
	*rules = (struct table_rules){0};
	table_rules_add(rules, &(struct table_rule){.cfa = TABLE_CFA_NONE});
	table_rules_add(rules, &(struct table_rule){.cfa = TABLE_CFA_OTHER,
						    .ra = TABLE_SAVED_OTHER,
						    .bp = TABLE_SAVED_OTHER});
}

void table_rules_release(struct table_rules *rules)
{
	vec_release(&rules->at);
	map_release(&rules->by_hash);
}
