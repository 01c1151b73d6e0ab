/* SPDX-License-Identifier: MIT
 * value.c -- looking things up in value trees.
 */
#include "model/value.h"

#include <string.h>

const struct value *value_member(const struct value *v, const struct strtab *strings,
				 const char *key)
{
	str_id id = strtab_find(strings, key, strlen(key));

	if (!v || v->kind != VALUE_DICT || id.i == STR_NONE.i)
		return NULL;
	for (size_t i = v->items.n; i-- > 0;)
		if (v->items.at[i].key.i == id.i)
			return &v->items.at[i];
	return NULL;
}
