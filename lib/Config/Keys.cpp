//===- Keys.cpp - the keys of recipes and plans ---------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Config/Keys.h"

#include "llvm/ADT/StringSwitch.h"

using namespace trireme;
using llvm::StringRef;

static constexpr auto inRecipe = Key::File::Recipe;
static constexpr auto inPlan = Key::File::Plan;
static constexpr auto compiled = Key::Moment::CompileTime;
static constexpr auto atRunTime = Key::Moment::RunTime;
static constexpr auto built = Key::State::Built;
static constexpr auto notYet = Key::State::NotYet;

// Sizes stay far below 2^63, so that sums and products of a few do not
// overflow before they are checked.
static constexpr double large = 1 << 30;
static constexpr Range positive{1, large};
static constexpr Range natural{0, large};
static constexpr Range seeds{0, 9007199254740992.0};
static constexpr Range rate{0, 1e6};
static constexpr Range fraction{0, 1, false, /*isOpenAbove=*/true};
static constexpr Range aboveZero{0, 1e30, /*isOpenBelow=*/true};
static constexpr Range anyPositive{0, 1e30};

// A row's place: the address of its member of Config.
#define SLOT(member) [](Config &config) -> Slot { return &config.member; }

static const Key keys[] = {
    // Recipe.
    {"global_batch_size", inRecipe, compiled, built,
     SLOT(recipe.globalBatchSize), "a positive integer, e.g. 8",
     "sequences a step", positive},
    {"sequence_length", inRecipe, compiled, built, SLOT(recipe.sequenceLength),
     "a positive integer, e.g. 1024", "tokens a sequence", positive, "", "seq"},
    {"steps", inRecipe, atRunTime, built, SLOT(recipe.steps),
     "a positive integer, e.g. 100", "length of the schedule", positive},
    {"seed", inRecipe, atRunTime, built, SLOT(recipe.seed),
     "an integer from 0, e.g. 1", "seed of the random initialisation", seeds},
    {"precision",
     inRecipe,
     compiled,
     notYet,
     SLOT(recipe.precision),
     "fp32, bf16, fp16, fp8 or a mapping of them",
     "precision of the compute",
     {},
     "fp32 bf16 fp16 fp8",
     ""},
    {"optimizer.name",
     inRecipe,
     compiled,
     built,
     SLOT(recipe.optimizer.name),
     "adamw",
     "optimizer",
     {},
     "adamw"},
    {"optimizer.lr", inRecipe, atRunTime, built, SLOT(recipe.optimizer.lr),
     "a number from 0, e.g. 3e-4", "learning rate", rate, "", "lr"},
    {"optimizer.beta1", inRecipe, atRunTime, built,
     SLOT(recipe.optimizer.beta1), "a number from 0 to below 1, e.g. 0.9",
     "decay of the first moment", fraction},
    {"optimizer.beta2", inRecipe, atRunTime, built,
     SLOT(recipe.optimizer.beta2), "a number from 0 to below 1, e.g. 0.95",
     "decay of the second moment", fraction},
    {"optimizer.eps", inRecipe, atRunTime, built, SLOT(recipe.optimizer.eps),
     "a number above 0, e.g. 1e-8", "added to the root of the second moment",
     aboveZero},
    {"optimizer.weight_decay", inRecipe, atRunTime, built,
     SLOT(recipe.optimizer.weightDecay), "a number from 0, e.g. 0.1",
     "decoupled weight decay", rate},
    {"schedule.name",
     inRecipe,
     atRunTime,
     built,
     SLOT(recipe.schedule.name),
     "constant, linear, cosine or wsd",
     "schedule of the learning rate",
     {},
     "constant linear cosine wsd"},
    {"schedule.warmup_steps", inRecipe, atRunTime, built,
     SLOT(recipe.schedule.warmupSteps), "an integer from 0, e.g. 100",
     "steps of linear warm-up", natural},
    {"schedule.min_lr", inRecipe, atRunTime, built, SLOT(recipe.schedule.minLr),
     "a number from 0, e.g. 3e-5", "learning rate at the end", rate},
    {"schedule.decay_steps", inRecipe, atRunTime, built,
     SLOT(recipe.schedule.decaySteps), "a positive integer, e.g. 20",
     "steps of wsd's fall", positive},
    {"schedule.decay",
     inRecipe,
     atRunTime,
     built,
     SLOT(recipe.schedule.decay),
     "linear, cosine or sqrt",
     "shape of wsd's fall",
     {},
     "linear cosine sqrt"},
    {"clip_grad_norm", inRecipe, atRunTime, built, SLOT(recipe.clipGradNorm),
     "a number from 0 (no clipping), e.g. 1.0", "bound of the gradient's norm",
     anyPositive},
    {"dropout", inRecipe, compiled, notYet, SLOT(recipe.dropout),
     "a number from 0 to below 1, or config", "dropout rate", fraction,
     "config"},
    {"documents.separator", inRecipe, compiled, notYet,
     SLOT(recipe.documents.separator), "a token or null",
     "token between documents", natural},
    {"documents.attention",
     inRecipe,
     compiled,
     notYet,
     SLOT(recipe.documents.attention),
     "across or within",
     "attention over documents",
     {},
     "across within"},
    {"documents.positions",
     inRecipe,
     compiled,
     notYet,
     SLOT(recipe.documents.positions),
     "continue or restart",
     "positions over documents",
     {},
     "continue restart"},
    {"documents.loss_across", inRecipe, compiled, notYet,
     SLOT(recipe.documents.lossAcross), "true or false",
     "loss on a document's first token"},
    {"parameters", inRecipe, compiled, notYet, SLOT(recipe.parameters),
     "a list of {match, train, weight_decay, lr_scale}",
     "rules for single parameters"},
    {"loss_scale.initial", inRecipe, atRunTime, notYet,
     SLOT(recipe.lossScale.initial), "a number above 0, e.g. 65536",
     "first loss scale", aboveZero},
    {"loss_scale.growth_interval", inRecipe, atRunTime, notYet,
     SLOT(recipe.lossScale.growthInterval), "a positive integer, e.g. 2000",
     "good steps until the scale doubles", positive},

    // Plan.
    {"data", inPlan, compiled, notYet, SLOT(plan.data),
     "a positive integer, e.g. 1", "data parallelism", positive, "", "dp"},
    {"tensor", inPlan, compiled, notYet, SLOT(plan.tensor),
     "a positive integer, e.g. 1", "tensor parallelism", positive, "", "tp"},
    {"pipeline", inPlan, compiled, notYet, SLOT(plan.pipeline),
     "a positive integer, e.g. 1", "pipeline stages", positive, "", "pp"},
    {"context", inPlan, compiled, notYet, SLOT(plan.context),
     "a positive integer, e.g. 1", "context parallelism", positive, "", "cp"},
    {"expert", inPlan, compiled, notYet, SLOT(plan.expert),
     "a positive integer, e.g. 1", "expert parallelism", positive, "", "ep"},
    {"micro_batch_size", inPlan, compiled, built, SLOT(plan.microBatchSize),
     "a positive integer, e.g. 4", "sequences computed at a time", positive},
    {"sequence_parallel",
     inPlan,
     compiled,
     notYet,
     SLOT(plan.sequenceParallel),
     "true or false",
     "split sequences between matrix products",
     {},
     "",
     "sp"},
    {"zero",
     inPlan,
     compiled,
     notYet,
     SLOT(plan.zero),
     "0, 1, 2 or 3",
     "shard 1 optimizer state, 2 gradients, 3 parameters",
     {0, 3}},
    {"zero_group", inPlan, compiled, notYet, SLOT(plan.zeroGroup),
     "a positive integer or null", "shard within groups of this size",
     positive},
    {"context_attention",
     inPlan,
     compiled,
     notYet,
     SLOT(plan.contextAttention),
     "ring, all_to_all or all_gather",
     "attention over split sequences",
     {},
     "ring all_to_all all_gather"},
    {"pipeline_schedule", inPlan, compiled, notYet, SLOT(plan.pipelineSchedule),
     "the name of a schedule or a CSV file", "order of the micro-batches"},
    {"virtual_stages", inPlan, compiled, notYet, SLOT(plan.virtualStages),
     "a positive integer, e.g. 1", "chunks of a stage", positive},
    {"layers_per_stage", inPlan, compiled, notYet, SLOT(plan.layersPerStage),
     "a list of integers or null", "layers of each chunk"},
    {"remat",
     inPlan,
     compiled,
     notYet,
     SLOT(plan.remat),
     "none, selective, full or auto",
     "what backward computes again",
     {},
     "none selective full auto",
     ""},
    {"memory_limit_gb", inPlan, compiled, notYet, SLOT(plan.memoryLimitGb),
     "a number above 0 or null", "memory that remat: auto fills", aboveZero},
    {"offload",
     inPlan,
     compiled,
     notYet,
     SLOT(plan.offload),
     "a list of optimizer, activations and gradients",
     "what leaves the device",
     {},
     "optimizer activations gradients"},
    {"overlap", inPlan, compiled, notYet, SLOT(plan.overlap), "true or false",
     "communicate while computing"},
    {"bucket_mib", inPlan, compiled, notYet, SLOT(plan.bucketMib),
     "a positive integer, e.g. 25", "size of combined collectives", positive},
    {"capacity_factor", inPlan, compiled, notYet, SLOT(plan.capacityFactor),
     "a number above 0 or null", "bound of an expert's tokens", aboveZero},
    {"reduction",
     inPlan,
     compiled,
     notYet,
     SLOT(plan.reduction),
     "fast or fixed-order",
     "order of sums over ranks",
     {},
     "fast fixed-order"},
};

#undef SLOT

llvm::ArrayRef<Key> trireme::getKeys() { return keys; }

const Key *trireme::findKey(Key::File file, StringRef name) {
  for (const Key &key : keys)
    if (key.file == file && key.name == name)
      return &key;
  return nullptr;
}

StringRef trireme::translateForeignKey(StringRef name) {
  std::string plain = name.take_front(128).lower();
  std::replace(plain.begin(), plain.end(), '-', '_');
  return llvm::StringSwitch<StringRef>(plain)
      .Cases({"gradient_accumulation_steps", "gradient_accumulation",
              "grad_accum_steps", "accumulate_grad_batches", "num_microbatches",
              "micro_batches", "per_device_train_batch_size",
              "train_micro_batch_size_per_gpu", "local_batch_size",
              "device_batch_size", "microbatch_size"},
             "micro_batch_size")
      .Cases({"train_batch_size", "batch_size", "total_batch_size"},
             "global_batch_size")
      .Cases({"seq_length", "seq_len", "max_seq_len", "max_seq_length",
              "max_sequence_length", "block_size", "context_length",
              "max_length", "n_ctx"},
             "sequence_length")
      .Cases({"max_steps", "train_iters", "num_steps", "num_train_steps",
              "total_steps", "max_iters", "training_steps"},
             "steps")
      .Cases({"learning_rate", "max_lr", "peak_lr", "base_lr"}, "optimizer.lr")
      .Cases({"adam_beta1", "betas"}, "optimizer.beta1")
      .Case("adam_beta2", "optimizer.beta2")
      .Cases({"adam_epsilon", "adam_eps", "epsilon"}, "optimizer.eps")
      .Cases({"adam_weight_decay", "wd"}, "optimizer.weight_decay")
      .Cases({"optim", "optimizer_type", "optimizer_name"}, "optimizer.name")
      .Cases({"lr_scheduler_type", "lr_decay_style", "scheduler",
              "lr_scheduler", "lr_schedule"},
             "schedule.name")
      .Cases({"warmup", "lr_warmup_iters", "num_warmup_steps", "warmup_iters"},
             "schedule.warmup_steps")
      .Cases({"min_learning_rate", "final_lr"}, "schedule.min_lr")
      .Cases({"max_grad_norm", "clip_grad", "grad_clip", "gradient_clipping",
              "gradient_clip_val", "max_norm"},
             "clip_grad_norm")
      .Cases({"bf16", "fp16", "dtype", "torch_dtype", "mixed_precision",
              "params_dtype"},
             "precision")
      .Cases({"hidden_dropout", "attention_dropout", "resid_pdrop"}, "dropout")
      .Cases({"data_parallel_size", "data_parallel", "dp_size", "dp",
              "num_gpus", "world_size"},
             "data")
      .Cases({"tensor_model_parallel_size", "tensor_parallel_size",
              "tensor_parallel_degree", "tensor_parallel", "tp_size", "tp"},
             "tensor")
      .Cases({"pipeline_model_parallel_size", "pipeline_parallel_size",
              "pipeline_parallel_degree", "pipeline_parallel", "pp_size", "pp",
              "num_stages"},
             "pipeline")
      .Cases({"context_parallel_size", "context_parallel_degree",
              "context_parallel", "cp_size", "cp"},
             "context")
      .Cases({"expert_model_parallel_size", "expert_parallel_size",
              "expert_parallel_degree", "expert_parallel", "ep_size", "ep"},
             "expert")
      .Case("sp", "sequence_parallel")
      .Cases({"zero_stage", "zero_optimization", "fsdp",
              "use_distributed_optimizer"},
             "zero")
      .Cases({"hybrid_shard_size", "data_parallel_shard_degree"}, "zero_group")
      .Cases({"activation_checkpointing", "gradient_checkpointing",
              "recompute_granularity", "checkpoint_activations",
              "activation_checkpoint"},
             "remat")
      .Cases({"num_layers_per_virtual_pipeline_stage",
              "virtual_pipeline_model_parallel_size"},
             "virtual_stages")
      .Cases({"moe_expert_capacity_factor", "expert_capacity"},
             "capacity_factor")
      .Cases({"bucket_cap_mb", "reduce_bucket_size"}, "bucket_mib")
      .Default("");
}
