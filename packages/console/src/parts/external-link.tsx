import type { ReactNode } from 'react'
import { webAddress } from './plain.ts'

/** Shows a link that opens in a new tab without a referrer. Shows nothing for other than web and mail addresses. */
export function ExternalLink({ url, children }: { url: string | null | undefined; children: ReactNode }): ReactNode {
  const address = webAddress(url)
  if (!address) return null
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
