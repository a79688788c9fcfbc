/* property_names.c - categories by their long and short names, other properties, scripts by name and by the code of four letters that
 * Unicode has for each, and the classes of POSIX. tests/peers/unicode asks Hugging Face's library for each of them. */
#include "text/property_names.h"

#include <string.h>

#include "text/unicode_table.h"

/* From lower-case letters to the known name. */
typedef struct alias {
    const char *key, *name;
} alias;

static const alias categories[] = {
    {"letter", "L"}, {"mark", "M"}, {"number", "N"}, {"punctuation", "P"}, {"symbol", "S"}, {"separator", "Z"}, {"any", "Any"}, {"other", "C"},
    {"control", "Cc"}, {"format", "Cf"}, {"uppercaseletter", "Lu"}, {"lowercaseletter", "Ll"}, {"titlecaseletter", "Lt"}, {"modifierletter", "Lm"},
    {"otherletter", "Lo"}, {"decimalnumber", "Nd"}, {"letternumber", "Nl"}, {"othernumber", "No"}, {"mathsymbol", "Sm"}, {"currencysymbol", "Sc"},
    {"modifiersymbol", "Sk"}, {"othersymbol", "So"}, {"dashpunctuation", "Pd"}, {"connectorpunctuation", "Pc"}, {"openpunctuation", "Ps"},
    {"closepunctuation", "Pe"}, {"initialpunctuation", "Pi"}, {"finalpunctuation", "Pf"}, {"otherpunctuation", "Po"}, {"spaceseparator", "Zs"},
    {"lineseparator", "Zl"}, {"paragraphseparator", "Zp"}, {"nonspacingmark", "Mn"}, {"spacingmark", "Mc"}, {"enclosingmark", "Me"},
    {"combiningmark", "M"}, {"unassigned", "Cn"}, {"privateuse", "Co"},
    {"l", "L"}, {"m", "M"}, {"n", "N"}, {"p", "P"}, {"s", "S"}, {"z", "Z"}, {"c", "C"}, {"lu", "Lu"}, {"ll", "Ll"}, {"lt", "Lt"}, {"lm", "Lm"}, {"lo", "Lo"},
    {"mn", "Mn"}, {"mc", "Mc"}, {"me", "Me"}, {"nd", "Nd"}, {"nl", "Nl"}, {"no", "No"}, {"pc", "Pc"}, {"pd", "Pd"}, {"ps", "Ps"}, {"pe", "Pe"}, {"pi", "Pi"},
    {"pf", "Pf"}, {"po", "Po"}, {"sm", "Sm"}, {"sc", "Sc"}, {"sk", "Sk"}, {"so", "So"}, {"zs", "Zs"}, {"zl", "Zl"}, {"zp", "Zp"}, {"cc", "Cc"}, {"cf", "Cf"},
    {"cn", "Cn"}, {"co", "Co"},
    {"alphabetic", "Alphabetic"}, {"alpha", "Alphabetic"}, {"lowercase", "Lowercase"}, {"lower", "Lowercase"}, {"uppercase", "Uppercase"},
    {"upper", "Uppercase"}, {"digit", "Nd"}, {"math", "Math"}, {"space", "White_Space"}, {"cntrl", "Cc"},
    {"punct", "P"},
};

/* Of unicode_properties.c, no scripts. */
static const char *const others[] = {"Ideographic", "Unified_Ideograph", "White_Space", "Emoji", "Emoji_Component", "Emoji_Modifier", "Emoji_Modifier_Base",
                                     "Emoji_Presentation", "Extended_Pictographic", "Regional_Indicator", "Variation_Selector", "Dash", "Hex_Digit", "Diacritic"};
static const char *const unknown[] = {"Join_Control", "Other_Alphabetic", "Other_Lowercase", "Other_Math", "Other_Uppercase"};

/* Classes of POSIX: what stands for them within a class of PCRE2, and for all other characters. \p{Punct} is punctuation alone, [[:punct:]] has
 * symbols as well. */
static const struct {
    const char *name, *members, *others;
} posix[] = {
    {"alnum", "\\p{Alphabetic}\\p{Nd}", "\\P{PosixAlnum}"}, {"alpha", "\\p{Alphabetic}", "\\P{Alphabetic}"},
    {"ascii", "\\x{0}-\\x{7F}", "\\x{80}-\\x{10FFFF}"},
    {"blank", "\\t\\p{Zs}", "\\x{0}-\\x{8}\\x{A}-\\x{1F}\\x{21}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{202E}\\x{2030}-\\x{205E}"
                            "\\x{2060}-\\x{2FFF}\\x{3001}-\\x{10FFFF}"},
    {"cntrl", "\\p{Cc}", "\\P{Cc}"}, {"digit", "\\p{Nd}", "\\P{Nd}"}, {"graph", "\\p{PosixGraph}", "\\P{PosixGraph}"},
    {"lower", "\\p{Lowercase}", "\\P{Lowercase}"}, {"print", "\\p{PosixPrint}", "\\P{PosixPrint}"}, {"punct", "\\p{P}\\p{S}", "\\P{PosixPunct}"},
    {"space", "\\p{White_Space}", "\\P{White_Space}"}, {"upper", "\\p{Uppercase}", "\\P{Uppercase}"},
    {"word", "\\p{PosixWord}", "\\P{PosixWord}"}, {"xdigit", "0-9A-Fa-f", "\\x{0}-/:-@G-`g-\\x{10FFFF}"},
};

static const alias short_names[] = {
    {"adlm", "Adlam"}, {"aghb", "Caucasian_Albanian"}, {"arab", "Arabic"}, {"armi", "Imperial_Aramaic"}, {"armn", "Armenian"},
    {"avst", "Avestan"}, {"bali", "Balinese"}, {"bamu", "Bamum"}, {"bass", "Bassa_Vah"}, {"batk", "Batak"}, {"beng", "Bengali"},
    {"bhks", "Bhaiksuki"}, {"bopo", "Bopomofo"}, {"brah", "Brahmi"}, {"brai", "Braille"}, {"bugi", "Buginese"}, {"buhd", "Buhid"},
    {"cakm", "Chakma"}, {"cans", "Canadian_Aboriginal"}, {"cari", "Carian"}, {"cher", "Cherokee"}, {"chrs", "Chorasmian"},
    {"copt", "Coptic"}, {"cpmn", "Cypro_Minoan"}, {"cprt", "Cypriot"}, {"cyrl", "Cyrillic"}, {"deva", "Devanagari"},
    {"dia", "Diacritic"}, {"diak", "Dives_Akuru"}, {"dogr", "Dogra"}, {"dsrt", "Deseret"}, {"dupl", "Duployan"},
    {"ebase", "Emoji_Modifier_Base"}, {"ecomp", "Emoji_Component"}, {"egyp", "Egyptian_Hieroglyphs"}, {"elba", "Elbasan"},
    {"elym", "Elymaic"}, {"emod", "Emoji_Modifier"}, {"epres", "Emoji_Presentation"}, {"ethi", "Ethiopic"},
    {"extpict", "Extended_Pictographic"}, {"gara", "Garay"}, {"geor", "Georgian"}, {"glag", "Glagolitic"}, {"gong", "Gunjala_Gondi"},
    {"gonm", "Masaram_Gondi"}, {"goth", "Gothic"}, {"gran", "Grantha"}, {"grek", "Greek"}, {"gujr", "Gujarati"},
    {"gukh", "Gurung_Khema"}, {"guru", "Gurmukhi"}, {"hang", "Hangul"}, {"hani", "Han"}, {"hano", "Hanunoo"}, {"hatr", "Hatran"},
    {"hebr", "Hebrew"}, {"hex", "Hex_Digit"}, {"hira", "Hiragana"}, {"hluw", "Anatolian_Hieroglyphs"}, {"hmng", "Pahawh_Hmong"},
    {"hmnp", "Nyiakeng_Puachue_Hmong"}, {"hung", "Old_Hungarian"}, {"ideo", "Ideographic"}, {"ital", "Old_Italic"}, {"java", "Javanese"},
    {"kali", "Kayah_Li"}, {"kana", "Katakana"}, {"khar", "Kharoshthi"}, {"khmr", "Khmer"}, {"khoj", "Khojki"},
    {"kits", "Khitan_Small_Script"}, {"knda", "Kannada"}, {"krai", "Kirat_Rai"}, {"kthi", "Kaithi"}, {"lana", "Tai_Tham"},
    {"laoo", "Lao"}, {"latn", "Latin"}, {"lepc", "Lepcha"}, {"limb", "Limbu"}, {"lina", "Linear_A"}, {"linb", "Linear_B"},
    {"lyci", "Lycian"}, {"lydi", "Lydian"}, {"mahj", "Mahajani"}, {"maka", "Makasar"}, {"mand", "Mandaic"}, {"mani", "Manichaean"},
    {"marc", "Marchen"}, {"medf", "Medefaidrin"}, {"mend", "Mende_Kikakui"}, {"merc", "Meroitic_Cursive"},
    {"mero", "Meroitic_Hieroglyphs"}, {"mlym", "Malayalam"}, {"mong", "Mongolian"}, {"mroo", "Mro"}, {"mtei", "Meetei_Mayek"},
    {"mult", "Multani"}, {"mymr", "Myanmar"}, {"nagm", "Nag_Mundari"}, {"nand", "Nandinagari"}, {"narb", "Old_North_Arabian"},
    {"nbat", "Nabataean"}, {"nkoo", "Nko"}, {"nshu", "Nushu"}, {"ogam", "Ogham"}, {"olck", "Ol_Chiki"}, {"onao", "Ol_Onal"},
    {"orkh", "Old_Turkic"}, {"orya", "Oriya"}, {"osge", "Osage"}, {"osma", "Osmanya"}, {"ougr", "Old_Uyghur"}, {"palm", "Palmyrene"},
    {"pauc", "Pau_Cin_Hau"}, {"perm", "Old_Permic"}, {"phag", "Phags_Pa"}, {"phli", "Inscriptional_Pahlavi"},
    {"phlp", "Psalter_Pahlavi"}, {"phnx", "Phoenician"}, {"plrd", "Miao"}, {"prti", "Inscriptional_Parthian"}, {"qaac", "Coptic"},
    {"qaai", "Inherited"}, {"ri", "Regional_Indicator"}, {"rjng", "Rejang"}, {"rohg", "Hanifi_Rohingya"}, {"runr", "Runic"},
    {"samr", "Samaritan"}, {"sarb", "Old_South_Arabian"}, {"saur", "Saurashtra"}, {"sgnw", "SignWriting"}, {"shaw", "Shavian"},
    {"shrd", "Sharada"}, {"sidd", "Siddham"}, {"sind", "Khudawadi"}, {"sinh", "Sinhala"}, {"sogd", "Sogdian"}, {"sogo", "Old_Sogdian"},
    {"sora", "Sora_Sompeng"}, {"soyo", "Soyombo"}, {"sund", "Sundanese"}, {"sunu", "Sunuwar"}, {"sylo", "Syloti_Nagri"},
    {"syrc", "Syriac"}, {"tagb", "Tagbanwa"}, {"takr", "Takri"}, {"tale", "Tai_Le"}, {"talu", "New_Tai_Lue"}, {"taml", "Tamil"},
    {"tang", "Tangut"}, {"tavt", "Tai_Viet"}, {"telu", "Telugu"}, {"tfng", "Tifinagh"}, {"tglg", "Tagalog"}, {"thaa", "Thaana"},
    {"tibt", "Tibetan"}, {"tirh", "Tirhuta"}, {"tnsa", "Tangsa"}, {"todr", "Todhri"}, {"tutg", "Tulu_Tigalari"}, {"ugar", "Ugaritic"},
    {"uideo", "Unified_Ideograph"}, {"vaii", "Vai"}, {"vith", "Vithkuqi"}, {"vs", "Variation_Selector"}, {"wara", "Warang_Citi"},
    {"wcho", "Wancho"}, {"wspace", "White_Space"}, {"xpeo", "Old_Persian"}, {"xsux", "Cuneiform"}, {"yezi", "Yezidi"}, {"yiii", "Yi"},
    {"zanb", "Zanabazar_Square"}, {"zinh", "Inherited"}, {"zyyy", "Common"},
};

static bool is_among(const char *const *list, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(list[i], name) != 0)
        i++;
    return i < count;
}

static const char *look_up_alias(const alias *list, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].key, key) == 0)
            return list[i].name;
    return NULL;
}

/* The normal form of a name: equal for equal names. size: bytes for it and a NUL. */
static bool key_of(const char *name, size_t length, char *key, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        if (c == '_' || c == ' ' || c == '-')
            continue;
        bool upper = c >= 'A' && c <= 'Z';
        if ((!upper && (c < 'a' || c > 'z') && (c < '0' || c > '9')) || n + 1 == size)
            return false;
        key[n++] = upper ? (char)(c | 0x20) : c;
    }
    key[n] = '\0';
    return n != 0;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

bool bipe_posix_find(const char *name, size_t size, bipe_property_name *found)
{
    for (size_t i = 0; i < COUNT(posix); i++)
        if (strlen(posix[i].name) == size && memcmp(posix[i].name, name, size) == 0) {
            *found = (bipe_property_name){.members = posix[i].members, .others = posix[i].others, .word = strcmp(posix[i].name, "word") == 0};
            return true;
        }
    return false;
}

bool bipe_property_find(const char *name, size_t size, bipe_property_name *found)
{
    char key[64], other[64];
    *found = (bipe_property_name){0};
    if (!key_of(name, size, key, sizeof key))
        return false;
    found->name = look_up_alias(categories, COUNT(categories), key);
    if (found->name != NULL)
        return true;
    const char *class = strncmp(key, "posix", 5) == 0 ? "punct" : key;
    if ((class == key || strcmp(key, "posixpunct") == 0) && bipe_posix_find(class, strlen(class), found))
        return true;
    found->name = look_up_alias(short_names, COUNT(short_names), key);
    for (const bipe_unicode_name *n = bipe_unicode_names; found->name == NULL && n->name != NULL; n++)
        if (key_of(n->name, strlen(n->name), other, sizeof other) && strcmp(other, key) == 0 && !is_among(unknown, COUNT(unknown), n->name))
            found->name = n->name;
    found->script = found->name != NULL && !is_among(others, COUNT(others), found->name);
    return found->name != NULL;
}
