import type { ReactNode } from 'react'
import { webAddress } from './plain.ts'

/** A link out of the console, which opens beside it and learns nothing of it; nothing where the address is no web's. */
export function ExternalLink({ url, children }: { url: string | null | undefined; children: ReactNode }): ReactNode {
  const address = webAddress(url)
  if (!address) return null
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
