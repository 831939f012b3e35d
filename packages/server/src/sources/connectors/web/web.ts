import { type Connector, ignored } from '../connector.ts'
import { pullWeb } from './pull-web.ts'
import { webAddress } from './web-address.ts'

const ADDRESS = { type: 'string', format: 'uri' }

/** Connector for public web pages: one page, or the pages of a site that its sitemap lists. */
export const web: Connector = {
  providers: ['web'],
  product: 'Web page or site',
  forms: [],
  isPublic: true,
  settings: {
    read: {
      url: { ...ADDRESS, description: 'Address of one page, with https.' },
      sitemap: { ...ADDRESS, description: 'Address of a site’s sitemap instead: all pages that it lists are read.' },
    },
  },
  configProblem: (config) => (webAddress(config) ? undefined : PROBLEM),
  eventId: () => undefined,
  map: () => ignored('unknown', 'unknown_event'),
  pull: pullWeb,
}

const PROBLEM =
  'Give either url, the address of a page, or sitemap, the address of a sitemap, with https and without a user name ' +
  'or a password.'
