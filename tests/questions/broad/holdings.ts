/** Questions about the whole content, in a user's words. */
export const HOLDINGS: readonly string[] = [
  'What topics are in my notes?',
  'What is in here?',
  'what have I saved',
  'Summarise my notes',
  'Which subjects do I write about?',
  'What are my documents about?',
  'What kinds of things are stored here?',
  'What do I write about most?',
  'Give me an overview of my messages.',
  "what's in my files",
]
