/* input_kind.c - the table of signatures; see input_kind.h. A signature that people could write as text has a second
 * part, with bytes that they would not. */
#include "base/input_kind.h"

#include <string.h>

typedef struct piece {
    const char *bytes;
    size_t size, at;
} piece;

#define AT(place, text) {.bytes = (text), .size = sizeof(text) - 1, .at = (place)}

typedef struct signature {
    piece piece[2];
    bipe_input_kind kind;
} signature;

#define IS(kind, help) {.what = (kind), .advice = (help)}
#define UNPACK "unpack it first"
#define MODEL "a model is the first operand of bipe-score, and bipe-convert describes it"
#define TABLE "export its text column as text or JSON Lines"
#define MEDIA NULL

static const signature signatures[] = {
    /* models and vocabularies */
    {{AT(0, "GGUF"), AT(6, "\0\0")}, IS("a GGUF model", MODEL)},
    {{AT(4, "\0\0\0\0{\"")}, IS("a safetensors file", MODEL)},
    {{AT(0, "\x80\x02\x8A\x0A\x6C\xFC\x9C\x46")}, IS("a PyTorch file", MODEL)},
    {{AT(0, "\x80\x04\x95")}, IS("a Python pickle", NULL)},
    {{AT(0, "\n"), AT(2, "\n\x05<unk>")}, IS("a SentencePiece model", "-t takes a tokenizer")},
    {{AT(0, "\n"), AT(2, "\n\x05<pad>")}, IS("a SentencePiece model", "-t takes a tokenizer")},
    {{AT(0, "version https://git-lfs.github.com/spec/")},
     IS("a pointer of Git LFS", "\"git lfs pull\" fetches the file itself")},
    {{AT(0, "{\n  \"tool\": \"bipe-")}, {"a result of --json", "--merge combines results, and bipe-plot draws them",
                                         .result = true}},
    /* compressed */
    {{AT(0, "BZh"), AT(4, "1A")}, IS("compressed by bzip2", "bzip2 -dc decompresses it")},
    {{AT(0, "\x04\x22\x4D\x18")}, IS("compressed by lz4", "lz4 -dc decompresses it")},
    {{AT(0, "LZIP\x01")}, IS("compressed by lzip", "lzip -dc decompresses it")},
    {{AT(0, "]\0\0")}, IS("compressed by lzma", "xz -dc decompresses it")},
    {{AT(0, "\x1F\x9D")}, IS("compressed by compress", "gzip -dc decompresses it")},
    {{AT(0, "\xFF\x06\0\0sNaPpY")}, IS("compressed by snappy", NULL)},
    /* archives */
    {{AT(257, "ustar")}, IS("a tar archive", "tar -xO writes what is in it")},
    {{AT(0, "PK\x03\x04")}, IS("a ZIP archive", "unzip -p writes what is in it")},
    {{AT(0, "PK\x05\x06")}, IS("an empty ZIP archive", NULL)},
    {{AT(0, "7z\xBC\xAF\x27\x1C")}, IS("a 7z archive", UNPACK)},
    {{AT(0, "Rar!\x1A\x07")}, IS("a RAR archive", UNPACK)},
    {{AT(0, "!<arch>\n")}, IS("an ar archive", UNPACK)},
    {{AT(0, "\xED\xAB\xEE\xDB")}, IS("an RPM package", UNPACK)},
    {{AT(0, "MSCF\0\0\0\0")}, IS("a cabinet archive", UNPACK)},
    /* documents */
    {{AT(0, "%PDF-")}, IS("a PDF document", "pdftotext writes its text")},
    {{AT(0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")}, IS("a document of an office program", "export it as text")},
    {{AT(0, "AT&TFORM")}, IS("a DjVu document", "djvutxt writes its text")},
    {{AT(0, "\xFF\xFE\0\0")}, {"text in UTF-32", NULL, "UTF-32", true, false}},
    {{AT(0, "\0\0\xFE\xFF")}, {"text in UTF-32", NULL, "UTF-32", true, false}},
    {{AT(0, "\xFF\xFE")}, {"text in UTF-16", NULL, "UTF-16", true, false}},
    {{AT(0, "\xFE\xFF")}, {"text in UTF-16", NULL, "UTF-16", true, false}},
    /* tables */
    {{AT(0, "SQLite format 3\0")}, IS("an SQLite database", TABLE)},
    {{AT(0, "PAR1\x15")}, IS("a Parquet file", TABLE)},
    {{AT(0, "ARROW1\0\0")}, IS("an Arrow file", TABLE)},
    {{AT(0, "Obj\x01")}, IS("an Avro file", TABLE)},
    {{AT(0, "\x89HDF\r\n\x1A\n")}, IS("an HDF5 file", TABLE)},
    {{AT(0, "\x93NUMPY")}, IS("a NumPy array", "--ids reads token ids")},
    /* images, sound, films */
    {{AT(0, "\x89PNG\r\n\x1A\n")}, IS("a PNG image", MEDIA)},
    {{AT(0, "\xFF\xD8\xFF")}, IS("a JPEG image", MEDIA)},
    {{AT(0, "GIF87a")}, IS("a GIF image", MEDIA)},
    {{AT(0, "GIF89a")}, IS("a GIF image", MEDIA)},
    {{AT(0, "II*\0")}, IS("a TIFF image", MEDIA)},
    {{AT(0, "MM\0*")}, IS("a TIFF image", MEDIA)},
    {{AT(0, "BM"), AT(6, "\0\0\0\0")}, IS("a BMP image", MEDIA)},
    {{AT(0, "\0\0\x01\0")}, IS("an icon", MEDIA)},
    {{AT(0, "RIFF"), AT(8, "WEBP")}, IS("a WebP image", MEDIA)},
    {{AT(0, "RIFF"), AT(8, "WAVE")}, IS("a sound file", MEDIA)},
    {{AT(0, "RIFF"), AT(8, "AVI ")}, IS("a film", MEDIA)},
    {{AT(0, "ID3"), AT(4, "\0")}, IS("a sound file", MEDIA)},
    {{AT(0, "OggS\0")}, IS("a sound file", MEDIA)},
    {{AT(0, "fLaC\0")}, IS("a sound file", MEDIA)},
    {{AT(0, "\0\0\0"), AT(4, "ftyp")}, IS("a film", MEDIA)},
    {{AT(0, "\x1A\x45\xDF\xA3")}, IS("a film", MEDIA)},
    /* programs */
    {{AT(0, "\x7F" "ELF")}, IS("a program or library (ELF)", NULL)},
    {{AT(0, "MZ\x90\0")}, IS("a program of Windows", NULL)},
    {{AT(0, "\xCF\xFA\xED\xFE")}, IS("a program of macOS", NULL)},
    {{AT(0, "\xCA\xFE\xBA\xBE")}, IS("a program of macOS or Java", NULL)},
    {{AT(0, "\0asm\x01")}, IS("a WebAssembly program", NULL)},
};

/* How many bytes of a piece are there and right: its size when it is complete, -1 when a byte is wrong. */
static int matched_size(const piece *p, const uint8_t *bytes, size_t size)
{
    size_t there = size <= p->at ? 0 : size - p->at < p->size ? size - p->at : p->size;
    return there == 0 || memcmp(bytes + p->at, p->bytes, there) == 0 ? (int)there : -1;
}

/* UTF-16 without a mark at its beginning, of letters that ASCII has: every other byte is zero. At least this many bytes
 * are needed. */
enum { UTF16_LEAST = 16 };

static bool like_utf16(const uint8_t *bytes, size_t size)
{
    if (size < 2 || (bytes[0] == 0) == (bytes[1] == 0))
        return false;
    size_t zero = bytes[0] == 0 ? 0 : 1;
    for (size_t i = 0; i < size && i < UTF16_LEAST; i++) {
        bool letter = (bytes[i] >= ' ' && bytes[i] < 0x7F) || (bytes[i] >= '\t' && bytes[i] <= '\r');
        if (i % 2 == zero ? bytes[i] != 0 : !letter)
            return false;
    }
    return true;
}

const bipe_input_kind *bipe_input_kind_of(const uint8_t *bytes, size_t size, bool *more)
{
    static const bipe_input_kind utf16[] = {
        {"text in UTF-16", "--encoding UTF-16LE reads it", "UTF-16LE", false, false},
        {"text in UTF-16", "--encoding UTF-16BE reads it", "UTF-16BE", false, false},
    };
    *more = like_utf16(bytes, size);
    if (*more && size >= UTF16_LEAST)
        return &utf16[bytes[0] == 0];
    /* Signatures further on are waited for only where there are bytes that text does not have. */
    bool has_nul = memchr(bytes, 0, size) != NULL;
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const piece *p = signatures[i].piece;
        int first = matched_size(&p[0], bytes, size), second = matched_size(&p[1], bytes, size);
        if (first < 0 || second < 0)
            continue;
        if ((size_t)first == p[0].size && (size_t)second == p[1].size)
            return &signatures[i].kind;
        *more = *more || first > 0 || has_nul;
    }
    return NULL;
}
