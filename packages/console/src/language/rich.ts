import { createElement, Fragment, type ReactNode } from 'react'
import { partsOf, type Text, type Values } from './language.ts'

/** Returns a text in the user's language as nodes: its values are elements, such as links. */
export function rich<Of extends Text>(text: Of, ...[values]: Values<Of, ReactNode>): ReactNode {
  return createElement(Fragment, null, ...partsOf<ReactNode>(text, values))
}
