/* use_library.c - somebody else's program, built with nothing but the installed headers, the installed library and what pkg-config
 * says. Prints the ends of a text's segments: "4 7". An argument is the segmenter. */
#include <stdio.h>

#include <segment/segmentation.h>

int main(int argc, char **argv)
{
    static const uint8_t text[] = "One.Two";
    bipe_error err;
    bipe_segmentation *segmentation;
    if (bipe_segmentation_open(&segmentation, argc > 1 ? argv[1] : "stop", &err) != BIPE_OK ||
        bipe_segmentation_begin(segmentation, &err) != BIPE_OK ||
        bipe_segmentation_feed_bytes(segmentation, text, sizeof text - 1, &err) != BIPE_OK ||
        bipe_segmentation_end(segmentation, sizeof text - 1, &err) != BIPE_OK) {
        fprintf(stderr, "use_library: %s\n", err.text);
        return 1;
    }
    const bipe_boundaries *boundaries = bipe_segmentation_boundaries(segmentation);
    size_t last = boundaries->count;
    if (last > 0 && boundaries->offset[last - 1] == sizeof text - 1)
        last--;
    for (size_t i = 0; i < last; i++)
        printf("%llu ", (unsigned long long)boundaries->offset[i]);
    printf("%zu\n", sizeof text - 1);
    bipe_segmentation_close(segmentation);
    return 0;
}
