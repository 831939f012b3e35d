import { ActionIcon, type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import { Monitor, Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../language/language.ts'

const NEXT: Record<MantineColorScheme, MantineColorScheme> = { auto: 'light', light: 'dark', dark: 'auto' }
const NAMES: Record<MantineColorScheme, string> = { auto: t('system'), light: t('light'), dark: t('dark') }
const ICONS = { auto: Monitor, light: Sun, dark: Moon } as const

/** Shows a button that switches between the light, dark and system color scheme. */
export function SchemeSwitch(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const Icon = ICONS[colorScheme]
  const label = t('Theme: {present}. Switch to {next}.', {
    present: NAMES[colorScheme],
    next: NAMES[NEXT[colorScheme]],
  })
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(NEXT[colorScheme])}
    >
      <Icon />
    </ActionIcon>
  )
}
