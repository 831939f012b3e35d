// The pair model reads a claim and its evidence together (a cross-encoder for natural language inference). It estimates
// the probability that the evidence supports the claim.
import { createTokenizer } from './tokenizer.js'

/** Maximum tokens of a pair, and of its claim with the special tokens around it, as in training/pairs_model.py. */
const PAIR_TOKENS_MAX = 128
const CLAIM_TOKENS_MAX = 64

/**
 * Returns a function that returns the probabilities of the labels supported, contradicted and neither, in this order.
 * @param {import('./encode-thread.js').Runtime['Tensor']} Tensor
 * @param {import('./encode-thread.js').Session} session  inputs `input_ids` and `token_type_ids`, output `supports`
 * @param {string} vocabulary
 */
export function openPairModel(Tensor, session, vocabulary) {
  const tokenize = createTokenizer(vocabulary, PAIR_TOKENS_MAX)
  return async (/** @type {string} */ claim, /** @type {string} */ evidence) => {
    const head = tokenize(claim, CLAIM_TOKENS_MAX).ids
    // The first token of the evidence marks the beginning of a text, which the claim already has.
    const rest = tokenize(evidence, PAIR_TOKENS_MAX - head.length + 1).ids.slice(1)
    const ids = [...head, ...rest]
    const shape = [1, ids.length]
    const { supports } = await session.run(
      {
        input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
        token_type_ids: new Tensor(
          'int64',
          BigInt64Array.from(ids, (_, at) => (at < head.length ? 0n : 1n)),
          shape,
        ),
      },
      ['supports'],
    )
    if (supports?.data.length !== LABELS) throw new Error('the pair model returned no result of the expected size')
    return softmax(supports.data)
  }
}

/** Number of labels. */
const LABELS = 3

/** @param {Float32Array} logits */
function softmax(logits) {
  const most = Math.max(...logits)
  const raised = logits.map((logit) => Math.exp(logit - most))
  const sum = raised.reduce((total, each) => total + each, 0)
  return raised.map((each) => each / sum)
}
