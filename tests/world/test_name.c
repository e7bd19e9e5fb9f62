// SPDX-License-Identifier: MIT
// The name function of every enum. tools/check_repository.sh looks for all enumerators here.
#include "kith/link.h"
#include "kith_test.h"

#include <ctype.h>

#define COUNT_OF(ARRAY) (sizeof(ARRAY) / sizeof(ARRAY)[0])

typedef struct enumerator {
    uint32_t    number;
    const char *text;
} enumerator;

#define E(ENUMERATOR)                                                                              \
    {                                                                                              \
        (uint32_t) ENUMERATOR, #ENUMERATOR                                                         \
    }

// What follows the prefix of the enumerator, in lower case.
static void assert_word(const char *word, const enumerator *one, const char *prefix)
{
    char        expected[64] = { 0 };
    const char *text         = one->text + strlen("KITH_");
    text = strncmp(one->text, prefix, strlen(prefix)) == 0 ? one->text + strlen(prefix) : text;
    for (size_t i = 0; text[i] != '\0'; i++) {
        expected[i] = (char)tolower((unsigned char)text[i]);
    }
    assert_string_equal(word, expected);
}

static const enumerator error_code_list[] = { E(KITH_OK),
                                              E(KITH_ERROR_MEMORY),
                                              E(KITH_ERROR_LIMIT),
                                              E(KITH_ERROR_NULL_ENTITY),
                                              E(KITH_ERROR_DEAD_ENTITY),
                                              E(KITH_ERROR_UNREGISTERED),
                                              E(KITH_ERROR_CONFLICT),
                                              E(KITH_ERROR_KIND),
                                              E(KITH_ERROR_POLICY),
                                              E(KITH_ERROR_HOOK),
                                              E(KITH_ERROR_ARGUMENT),
                                              E(KITH_ERROR_BUSY),
                                              E(KITH_ERROR_DYING),
                                              E(KITH_ERROR_CLOSED),
                                              E(KITH_ERROR_UNDECLARED),
                                              E(KITH_ERROR_FORMAT),
                                              E(KITH_ERROR_UNSAVED),
                                              E(KITH_ERROR_IO),
                                              E(KITH_ERROR_HELD),
                                              E(KITH_ERROR_NOTICE) };

static void error_codes_have_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(error_code_list); i++) {
        const enumerator *one = &error_code_list[i];
        assert_word(kith_error_code_name((kith_error_code)one->number), one, "KITH_ERROR_");
    }
    assert_string_equal(kith_error_code_name((kith_error_code)COUNT_OF(error_code_list)), "?");
    assert_string_equal(kith_error_code_name((kith_error_code)UINT32_MAX), "?");
}

static const enumerator free_order_list[] = { E(KITH_FREE_DEFAULT), E(KITH_FREE_LIFO),
                                              E(KITH_FREE_FIFO), E(KITH_FREE_LOWEST) };

static void free_orders_have_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(free_order_list); i++) {
        const enumerator *one = &free_order_list[i];
        assert_word(kith_free_order_name((kith_free_order)one->number), one, "KITH_FREE_");
    }
    assert_string_equal(kith_free_order_name((kith_free_order)COUNT_OF(free_order_list)), "?");
    assert_string_equal(kith_free_order_name((kith_free_order)UINT32_MAX), "?");
}

static const enumerator kind_list[] = { E(KITH_KIND_VALUE), E(KITH_KIND_TAG), E(KITH_KIND_FLAG),
                                        E(KITH_KIND_SINGLETON) };

static void kinds_have_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kind_list); i++) {
        const enumerator *one = &kind_list[i];
        assert_word(kith_kind_name((kith_kind)one->number), one, "KITH_KIND_");
    }
    assert_string_equal(kith_kind_name((kith_kind)COUNT_OF(kind_list)), "?");
    assert_string_equal(kith_kind_name((kith_kind)UINT32_MAX), "?");
}

static const enumerator policy_list[] = { E(KITH_POLICY_SWAP), E(KITH_POLICY_STABLE) };

static void policies_have_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(policy_list); i++) {
        const enumerator *one = &policy_list[i];
        assert_word(kith_policy_name((kith_policy)one->number), one, "KITH_POLICY_");
    }
    assert_string_equal(kith_policy_name((kith_policy)COUNT_OF(policy_list)), "?");
    assert_string_equal(kith_policy_name((kith_policy)UINT32_MAX), "?");
}

static const enumerator field_type_list[] = {
    E(KITH_TYPE_BOOL),  E(KITH_TYPE_U8),   E(KITH_TYPE_U16),    E(KITH_TYPE_U32),
    E(KITH_TYPE_U64),   E(KITH_TYPE_I8),   E(KITH_TYPE_I16),    E(KITH_TYPE_I32),
    E(KITH_TYPE_I64),   E(KITH_TYPE_F32),  E(KITH_TYPE_F64),    E(KITH_TYPE_ENTITY),
    E(KITH_TYPE_CHARS), E(KITH_TYPE_ENUM), E(KITH_TYPE_STRUCT), E(KITH_TYPE_SKIP)
};

static void field_types_have_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(field_type_list); i++) {
        const enumerator *one = &field_type_list[i];
        assert_word(kith_field_type_name((kith_field_type)one->number), one, "KITH_TYPE_");
    }
    assert_string_equal(kith_field_type_name((kith_field_type)COUNT_OF(field_type_list)), "?");
    assert_string_equal(kith_field_type_name((kith_field_type)UINT32_MAX), "?");
}

static const enumerator form_list[] = { E(KITH_FORM_NONE), E(KITH_FORM_FIELDS), E(KITH_FORM_PLAIN),
                                        E(KITH_FORM_FUNCTIONS), E(KITH_FORM_TRANSIENT) };

static void save_forms_have_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(form_list); i++) {
        const enumerator *one = &form_list[i];
        assert_word(kith_form_name((kith_form)one->number), one, "KITH_FORM_");
    }
    assert_string_equal(kith_form_name((kith_form)COUNT_OF(form_list)), "?");
    assert_string_equal(kith_form_name((kith_form)UINT32_MAX), "?");
}

static const enumerator role_list[] = {
    E(KITH_ROLE_WITH),           E(KITH_ROLE_READ), E(KITH_ROLE_WRITE),   E(KITH_ROLE_OPTIONAL),
    E(KITH_ROLE_OPTIONAL_WRITE), E(KITH_ROLE_ANY),  E(KITH_ROLE_WITHOUT), E(KITH_ROLE_DISABLED),
    E(KITH_ROLE_LEAD),           E(KITH_ROLE_OWN),  E(KITH_ROLE_CHANGED), E(KITH_ROLE_ADDED)
};

static void roles_have_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(role_list); i++) {
        const enumerator *one = &role_list[i];
        assert_word(kith_role_name((kith_role)one->number), one, "KITH_ROLE_");
    }
    assert_string_equal(kith_role_name((kith_role)COUNT_OF(role_list)), "?");
    assert_string_equal(kith_role_name((kith_role)UINT32_MAX), "?");
}

static const enumerator event_list[] = { E(KITH_EVENT_ADD),     E(KITH_EVENT_SET),
                                         E(KITH_EVENT_REMOVE),  E(KITH_EVENT_CREATE),
                                         E(KITH_EVENT_DESTROY), E(KITH_EVENT_REPLACED) };

static void events_have_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(event_list); i++) {
        const enumerator *one = &event_list[i];
        assert_word(kith_event_name((kith_event)one->number), one, "KITH_EVENT_");
    }
    assert_string_equal(kith_event_name((kith_event)COUNT_OF(event_list)), "?");
    assert_string_equal(kith_event_name((kith_event)UINT32_MAX), "?");
}

static const enumerator on_list[] = { E(KITH_ON_ADD), E(KITH_ON_SET), E(KITH_ON_REMOVE),
                                      E(KITH_ON_CHANGED) };

static void conditions_have_names_one_by_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(on_list); i++) {
        const enumerator *one = &on_list[i];
        assert_word(kith_on_name((kith_on)one->number), one, "KITH_ON_");
    }
    const uint32_t others[] = { 0, 3, 6, 15, 16, 17, 1u << 30, UINT32_MAX };
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        assert_string_equal(kith_on_name((kith_on)others[i]), "?");
    }
}

static const enumerator children_list[] = { E(KITH_CHILDREN_ORPHAN), E(KITH_CHILDREN_DESTROY) };

static void what_happens_to_children_has_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(children_list); i++) {
        const enumerator *one = &children_list[i];
        assert_word(kith_children_name((kith_children)one->number), one, "KITH_CHILDREN_");
    }
    assert_string_equal(kith_children_name((kith_children)COUNT_OF(children_list)), "?");
    assert_string_equal(kith_children_name((kith_children)UINT32_MAX), "?");
}

static const enumerator unknown_list[] = { E(KITH_UNKNOWN_REFUSE), E(KITH_UNKNOWN_SKIP),
                                           E(KITH_UNKNOWN_KEEP) };

static void what_loading_does_with_the_unknown_has_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(unknown_list); i++) {
        const enumerator *one = &unknown_list[i];
        assert_word(kith_unknown_name((kith_unknown)one->number), one, "KITH_UNKNOWN_");
    }
    assert_string_equal(kith_unknown_name((kith_unknown)COUNT_OF(unknown_list)), "?");
    assert_string_equal(kith_unknown_name((kith_unknown)UINT32_MAX), "?");
}

static const enumerator difference_kind_list[] = {
    E(KITH_DIFFERENCE_ENTITY), E(KITH_DIFFERENCE_FREE),     E(KITH_DIFFERENCE_COMPONENT),
    E(KITH_DIFFERENCE_VALUE),  E(KITH_DIFFERENCE_DISABLED), E(KITH_DIFFERENCE_ROW),
    E(KITH_DIFFERENCE_GROUP),  E(KITH_DIFFERENCE_PATH),     E(KITH_DIFFERENCE_OBJECT)
};

static void differences_have_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(difference_kind_list); i++) {
        const enumerator *one = &difference_kind_list[i];
        assert_word(kith_difference_kind_name((kith_difference_kind)one->number), one,
                    "KITH_DIFFERENCE_");
    }
    assert_string_equal(
        kith_difference_kind_name((kith_difference_kind)COUNT_OF(difference_kind_list)), "?");
    assert_string_equal(kith_difference_kind_name((kith_difference_kind)UINT32_MAX), "?");
}

static const enumerator target_list[] = { E(KITH_TARGET_CLEAR), E(KITH_TARGET_DESTROY),
                                          E(KITH_TARGET_REFUSE) };

static void what_happens_to_holders_has_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(target_list); i++) {
        const enumerator *one = &target_list[i];
        assert_word(kith_target_name((kith_target)one->number), one, "KITH_TARGET_");
    }
    assert_string_equal(kith_target_name((kith_target)COUNT_OF(target_list)), "?");
    assert_string_equal(kith_target_name((kith_target)UINT32_MAX), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_codes_have_names),
        cmocka_unit_test(free_orders_have_names),
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(policies_have_names),
        cmocka_unit_test(field_types_have_names),
        cmocka_unit_test(save_forms_have_names),
        cmocka_unit_test(roles_have_names),
        cmocka_unit_test(events_have_names),
        cmocka_unit_test(conditions_have_names_one_by_one),
        cmocka_unit_test(what_happens_to_children_has_names),
        cmocka_unit_test(what_happens_to_holders_has_names),
        cmocka_unit_test(what_loading_does_with_the_unknown_has_names),
        cmocka_unit_test(differences_have_names),
    };
    return cmocka_run_group_tests_name("name", tests, NULL, NULL);
}
