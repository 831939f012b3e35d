import type { ReactNode } from 'react'
import { webAddress } from './plain.ts'

/**
 * A link to another site, which opens in a new tab without a referrer. Renders nothing where the address is not http or
 * https.
 */
export function ExternalLink({ url, children }: { url: string | null | undefined; children: ReactNode }): ReactNode {
  const address = webAddress(url)
  if (!address) return null
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
