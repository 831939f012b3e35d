import { ActionIcon, type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import { Monitor, Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'

const NEXT: Record<MantineColorScheme, MantineColorScheme> = { auto: 'light', light: 'dark', dark: 'auto' }
const NAMES: Record<MantineColorScheme, string> = { auto: 'system', light: 'light', dark: 'dark' }
const ICONS = { auto: Monitor, light: Sun, dark: Moon } as const

/** Shows a button that switches between the light, dark and system color scheme. */
export function SchemeSwitch(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const Icon = ICONS[colorScheme]
  const label = `Theme: ${NAMES[colorScheme]}. Switch to ${NAMES[NEXT[colorScheme]]}.`
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
