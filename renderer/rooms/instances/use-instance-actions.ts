import { useToast } from '@nuxt/ui/composables'
import { ref, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import { TRAITS } from '../../../main/contract/engine-traits.ts'
import type { InstanceRecord } from '../../../main/contract/instance.ts'
import { useCommandProblem } from '../../app/command-problems.ts'
import { useUndo } from '../../app/undo.ts'
import { connectStep, nextStep } from './status.ts'
import { useInstances } from './store.ts'

/** Actions that must be confirmed first. */
export type DestructiveAction = 'logout' | 'recreate' | 'destroy'

export interface ConfirmRequest {
  readonly kind: DestructiveAction
  readonly instance: InstanceRecord
}

interface Item {
  readonly label: string
  readonly icon: string
  readonly color?: 'error'
  readonly onSelect: () => void
}

export interface InstanceActions {
  /** The id of the instance whose pairing dialog is open. */
  readonly pairing: Ref<string | undefined>
  readonly wish: Ref<ConfirmRequest | undefined>
  /** The action of the main button: connects the instance, or opens what must be read first. */
  readonly connect: (instance: InstanceRecord, where: 'list' | 'page') => void
  readonly restart: (instance: InstanceRecord) => Promise<void>
  readonly disconnect: (instance: InstanceRecord) => Promise<void>
  readonly menu: (instance: InstanceRecord, where: 'list' | 'page') => Item[][]
}

/** The actions of an instance, shared by the list and the instance's page. */
export function useInstanceActions(): InstanceActions {
  const { t } = useI18n()
  const { showProblem } = useCommandProblem()
  const router = useRouter()
  const toast = useToast()
  const offerUndo = useUndo()
  const instances = useInstances()
  const pairing = ref<string>()
  const wish = ref<ConfirmRequest>()

  function connect(instance: InstanceRecord, where: 'list' | 'page'): void {
    if (nextStep(instance, Date.now()) === 'details' && where === 'list') void router.push(`/instances/${instance.id}`)
    else if (connectStep(instance) === 'reconnect') void restart(instance)
    else pairing.value = instance.id
  }

  const restart = (instance: InstanceRecord) => perform('reconnecting', instance, () => instances.restart(instance.id))

  // The session is kept, so this can be undone.
  const disconnect = (instance: InstanceRecord) =>
    perform(
      'disconnected',
      instance,
      () => instances.disconnect(instance.id, false),
      () => instances.restart(instance.id),
    )

  async function perform(
    words: string,
    { name }: InstanceRecord,
    act: () => Promise<void>,
    undo?: () => Promise<void>,
  ): Promise<void> {
    try {
      await act()
      const title = t(`instances.toast.${words}`, { name })
      if (undo) offerUndo(title, undo)
      else toast.add({ title, icon: 'i-lucide-check', color: 'neutral' })
    } catch (error) {
      showProblem(error, name)
    }
  }

  function menu(instance: InstanceRecord, where: 'list' | 'page'): Item[][] {
    const step = connectStep(instance)
    const isPhone = TRAITS[instance.engine].isLinkedPhone && instance.status !== 'recreating'
    const ask = (kind: DestructiveAction) => () => (wish.value = { kind, instance })
    const open = { label: t('instances.act.open'), icon: 'i-lucide-arrow-right' }
    const words = { label: t('instances.act.messages'), icon: 'i-lucide-messages-square' }
    return [
      [
        ...(where === 'list' ? [{ ...open, onSelect: () => void router.push(`/instances/${instance.id}`) }] : []),
        ...(instance.connected ? [{ ...words, onSelect: () => void router.push(`/messages/${instance.id}`) }] : []),
        ...(step === undefined
          ? []
          : [
              {
                label: t(`instances.act.${step}`),
                icon: step === 'reconnect' ? 'i-lucide-plug' : 'i-lucide-scan-qr-code',
                onSelect: () => connect(instance, 'page'),
              },
            ]),
        ...(isPhone && step !== 'reconnect' && step !== 'pair'
          ? [
              {
                label: t('instances.act.reconnect'),
                icon: 'i-lucide-rotate-cw',
                onSelect: () => void restart(instance),
              },
            ]
          : []),
        ...(isPhone && instance.connected
          ? [
              {
                label: t('instances.act.disconnect'),
                icon: 'i-lucide-unplug',
                onSelect: () => void disconnect(instance),
              },
            ]
          : []),
      ],
      [
        ...(isPhone && instance.phone_number !== null
          ? [{ label: t('instances.act.logout'), icon: 'i-lucide-log-out', onSelect: ask('logout') }]
          : []),
        ...(where === 'list'
          ? [
              {
                label: t('instances.act.destroy'),
                icon: 'i-lucide-trash-2',
                color: 'error' as const,
                onSelect: ask('destroy'),
              },
            ]
          : []),
      ],
    ].filter((group) => group.length > 0)
  }

  return { pairing, wish, connect, restart, disconnect, menu }
}
