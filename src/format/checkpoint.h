/* checkpoint.h - the weight files of a Hugging Face folder: one safetensors file, sharded safetensors with an
 * index, pytorch_model.bin or its shards (a zip archive with a pickle, which is read and never run).
 *
 * Formats: github.com/huggingface/safetensors (README, "Format"); PyTorch's zip serialization with
 * pickle protocol 2, of which only the opcodes and globals that a state dict of tensors needs are known:
 * any other is BIPE_ERR_UNSUPPORTED and named. */
#ifndef BIPE_FORMAT_CHECKPOINT_H
#define BIPE_FORMAT_CHECKPOINT_H

#include "base/status.h"
#include "format/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bipe_checkpoint bipe_checkpoint;

/* Opens the weights in `folder`: model.safetensors, model.safetensors.index.json, pytorch_model.bin,
 * pytorch_model.bin.index.json, in this order. BIPE_ERR_IO when there is none. */
int bipe_checkpoint_open(bipe_checkpoint **checkpoint, const char *folder, bipe_error *err);
/* All tensors of all shards; a name that occurs in two shards is an error. */
const bipe_tensor_table *bipe_checkpoint_tensors(const bipe_checkpoint *checkpoint);
void bipe_checkpoint_close(bipe_checkpoint *checkpoint);

#ifdef __cplusplus
}
#endif
#endif
