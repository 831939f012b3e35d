#!/usr/bin/env bash
# Trains the pair model on a machine with one GPU and 16 cores in about eight minutes. Generates data, trains both heads,
# measures them, and writes the logs and the fp16 weights to $OUT. The weights are split into parts of 15 MiB.
# 1. Here: `training/gpu.sh pack PAIRS` packs the public sets (PAIRS has data/ and claims/) into training/runs/carry,
#    about 23 MiB. To measure the folders too: `npm run bench:pair-candidates -- training/runs/carry/folders.jsonl`.
# 2. There, in the repository's root, with training/runs/carry copied there: `OUT=RESULTS training/gpu.sh`.
# 3. Here: `cat RESULTS/model.pt.part* > model.pt`, then `python training/export_pairs.py model.pt TO`.
# Needs python3 with torch, tokenizers, onnx and numpy, but no network. Starts from the shipped encoder or from START.
# Settings: SECONDS_TRAINED (300), PROCESSES for generation (14), ORGANISATIONS per process (250), QUESTIONS per step
# (128), WORKERS that prepare batches (12), RATE (2e-4), SHARE of generated questions (0.5), MOST measured questions per
# set (100), PYTHON.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python3}
carry=$PWD/runs/carry
if [ "${1:-}" = pack ]; then
  mkdir -p "$carry"
  exec "$python" pairs_data.py "${2:?gives the folder with data/ and claims/}" "$carry/pairs.tar.xz"
fi
out=${OUT:?is the folder for the results}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TOKENIZERS_PARALLELISM=false PYTHONUNBUFFERED=1
"$python" -c 'import torch; print(torch.__version__, torch.cuda.is_available() and torch.cuda.get_device_name())'
for number in $(seq "${PROCESSES:-14}"); do
  "$python" -m generate "$work/made-$number.jsonl.gz" --seed "1$number" --organisations "${ORGANISATIONS:-250}" \
    --claims "$work/made-claims-$number.jsonl.gz" &
done
"$python" -m generate "$work/dev.jsonl.gz" --seed 9 --organisations 10 --heldout \
  --claims "$work/dev-claims.jsonl.gz" &
tar -xJf "$carry/pairs.tar.xz" -C "$work"
wait
echo "data after $SECONDS s"
"$python" train_pairs.py --out "$work/run" ${START:+--start "$START"} --public "$work/data" --claims "$work/claims" \
  --generated "$work"/made-[0-9]*.jsonl.gz --generated-claims "$work"/made-claims-*.jsonl.gz \
  --seconds "${SECONDS_TRAINED:-300}" --questions "${QUESTIONS:-128}" --claims-count 64 --at-once 256 \
  --generated-share "${SHARE:-0.5}" \
  --workers "${WORKERS:-12}" \
  --rate "${RATE:-2e-4}" --dropout 0.1 --show-every "${SHOW_EVERY:-200}" 2>&1 | tee "$out/train.log"
split -b 15m "$work/run/model.pt" "$out/model.pt.part"
echo "trained after $SECONDS s"
folders=()
[ -f "$carry/folders.jsonl" ] && folders=(--folders "$carry/folders.jsonl")
"$python" evaluate_pairs.py "$work/run/model.pt" --generated "$work/dev.jsonl.gz" --public "$work/data" \
  "${folders[@]}" \
  --claims "$work/dev-claims.jsonl.gz" "$work"/claims/*.dev.jsonl --most "${MOST:-100}" 2>&1 | tee "$out/evaluate.log"
echo "done after $SECONDS s"
