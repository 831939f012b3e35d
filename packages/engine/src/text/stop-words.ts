/** English words that say nothing about what a text is about; they are not indexed. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such that the their then there these they ' +
    'this to was will with from what which who whom whose when where how why did does do has have ' +
    'had were been being its ' +
    'he she his her him hers our ours your yours you we us me my i am ' +
    'during before after about also than so can could would should may might must shall just any some'
  ).split(' '),
)
