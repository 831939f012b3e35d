export { type About, type Added, FailedJobError } from './add.ts'
export type { AnswerDelta, AnswerStream } from './answer-stream.ts'
export { type AskOptions, Cairn } from './cairn.ts'
export type { Content, Lines, Several } from './content.ts'
export {
  ApiError,
  CairnError,
  ConflictError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  type Problem,
  RateLimitedError,
  TimeoutError,
  UnansweredError,
  UnauthorizedError,
  UnavailableError,
  UnexpectedReplyError,
} from './errors.ts'
export type { Methods } from './generated/methods.ts'
export * from './generated/types.ts'
export { deriveDataKey, encryptionToken } from './keys.ts'
export type { Paged } from './paged.ts'
export type { CallOptions } from './request.ts'
export type { CairnOptions } from './settings.ts'
export { type TarFile, tarOf } from './tar.ts'
