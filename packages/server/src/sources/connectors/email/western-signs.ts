/** What windows-1252 has where Unicode has control characters that no text holds. */
const SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const FIRST = 0x80

/** The text with the quotes, dashes and currency signs of mails in windows-1252, which decoders take for Latin-1. */
export function westernSigns(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (sign) => SIGNS[sign.charCodeAt(0) - FIRST]!)
}
