/*
 * signature: what a function takes and returns, by name and type, and where the System V ABI puts
 * it. Filled from debug information in a confined process, or from what the user says.
 */
#ifndef ABI_SIGNATURE_H
#define ABI_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

/* What a value is. Passed between processes. */
enum value_kind {
	VALUE_NONE, /* nothing: void */
	VALUE_INT,
	VALUE_UINT,
	VALUE_BOOL,
	VALUE_CHAR,
	VALUE_POINTER,
	VALUE_TEXT, /* points to a text that ends in a zero */
	VALUE_ENUM,
	VALUE_FLOAT,
	VALUE_STRUCT, /* of more than one part, or of a size that no register has */
	VALUE_KINDS
};

/* Where it is: the register for integers of that number (0: rdi …), or one of these. */
enum value_place {
	PLACE_REGISTERS = 6, /* so many registers take arguments */
	PLACE_VECTOR = 6,
	PLACE_STACK,
	PLACE_SEVERAL, /* in two registers */
	PLACE_NOWHERE, /* it is empty */
	PLACE_MEMORY,  /* of a result: where the caller said */
	PLACES
};

struct enumerator {
	char *name; /* owned */
	int64_t value;
};

struct member;

struct parameter {
	char *name;	     /* NULL: none; owned */
	uint8_t kind, place; /* enum value_kind, enum value_place */
	uint8_t bytes;	     /* of an integer: 1, 2, 4 or 8 */
	bool is_signed;	     /* of an enum */
	VEC(struct enumerator) enumerators;
	VEC(struct member) members; /* of what it points to: those that are read */
};

/* A member of a struct or class. */
struct member {
	struct parameter is;	      /* its place and members mean nothing */
	uint32_t offset, array_bytes; /* of a text that is an array in it: its size; else 0 */
};

/* Members that are read, of each parameter and of all. */
#define SIGNATURE_MEMBERS     4
#define SIGNATURE_MEMBERS_ALL 8
/* What is farther from a struct's beginning is not read. */
#define SIGNATURE_OFFSET (1u << 20)

/* More parameters than these are not told. */
#define SIGNATURE_MOST 16
#define SIGNATURE_ENUM 256
#define SIGNATURE_NAME 64 /* bytes of a parameter's name */

struct signature {
	uint32_t n;
	bool more; /* it takes more than these */
	struct parameter at[SIGNATURE_MOST];
	struct parameter result; /* place 0: rax */
};

/* Frees what it owns, not itself; and both, where it is not NULL. */
void signature_release(struct signature *);
void signature_free(struct signature *);

/* Bits: the registers that its parameters are in, and of these those that point to texts. */
uint32_t signature_registers(const struct signature *);
uint32_t signature_texts(const struct signature *);
/* Takes the members of parameters that are in no register, and those beyond
 * SIGNATURE_MEMBERS_ALL. */
void signature_limit_members(struct signature *);
void member_release(struct member *);

/* "path"; "arg3" of one without name. Valid until the next call. */
const char *signature_name(const struct signature *, uint32_t parameter);

/* Adds a value of a register as text: "-3", "RED", "'x'", "0xdead"; of what is in none, where it
 * is: "[in a vector register]". */
void signature_value(const struct parameter *, uint64_t value, struct str *out);

#endif
