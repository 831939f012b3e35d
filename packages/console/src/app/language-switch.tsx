import { ActionIcon } from '@mantine/core'
import { Languages } from 'lucide-react'
import type { ReactNode } from 'react'
import { chooseLanguage, LANGUAGES, language } from '../language/language.ts'

/** Shows a button that switches to the other language. It is named in that language. */
export function LanguageSwitch(): ReactNode {
  const other = language === 'en' ? 'de' : 'en'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      lang={other}
      aria-label={LANGUAGES[other]}
      title={LANGUAGES[other]}
      onClick={() => chooseLanguage(other)}
    >
      <Languages />
    </ActionIcon>
  )
}
