import { onScopeDispose, ref, shallowRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { INVOICE_LANGUAGES } from '../../../main/contract/client-billing.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { openPaymentPage } from './payment-page.ts'
import type { Choice, Purchase } from './use-billing.ts'

export type Preview = Reply<'previewPurchase'>

export type Stage =
  | { readonly kind: 'loading' | 'ready' | 'unknown' }
  /** The bank refused the card. Nothing was charged. */
  | { readonly kind: 'declined' }
  /** The bank wants the cardholder to confirm. Nothing was charged. */
  | { readonly kind: 'confirm' }
  /** A page of the payment provider is open in another tab. */
  | { readonly kind: 'paying'; readonly checkoutId: string; readonly url: string }
  | { readonly kind: 'saving'; readonly url: string }
  | { readonly kind: 'processing' | 'paid' | 'failed'; readonly purchase: Purchase }
  | { readonly kind: 'paidOnPage' }

/** The bank or the account's state refused it: the next attempt is a new purchase. */
const REFUSALS: Readonly<Record<string, Stage>> = {
  card_declined: { kind: 'declined' },
  payment_action_required: { kind: 'confirm' },
}

/** Buys one offer: shows the cost, then uses the saved card or the payment provider's page. */
export function useBuy() {
  const { locale } = useI18n()
  const stage = shallowRef<Stage>({ kind: 'loading' })
  const preview = shallowRef<Preview>()
  const problem = shallowRef<Problem>()
  const isBusy = ref(false)
  let choice: Choice = { plan: '' }
  /** The same for every repeat of one purchase, so that it is charged once even after a lost answer. */
  let key = ''
  let turn = 0

  async function look(): Promise<void> {
    const mine = ++turn
    stage.value = { kind: 'loading' }
    problem.value = undefined
    try {
      const found = await call('previewPurchase', { body: choice })
      if (mine !== turn) return
      preview.value = found
      stage.value = { kind: 'ready' }
    } catch (error) {
      if (mine !== turn) return
      problem.value = asProblem(error)
      stage.value = { kind: 'unknown' }
    }
  }

  function begin(wanted: Choice): Promise<void> {
    choice = wanted
    key = crypto.randomUUID()
    preview.value = undefined
    return look()
  }

  /** Resets the dialog; a purchase that was sent continues. */
  function end(): void {
    turn++
  }

  async function act(work: (mine: number) => Promise<void>, failed: (problem: Problem) => void): Promise<void> {
    if (isBusy.value) return
    const mine = ++turn
    isBusy.value = true
    problem.value = undefined
    try {
      await work(mine)
    } catch (error) {
      if (mine === turn) failed(asProblem(error))
    } finally {
      isBusy.value = false
    }
  }
  function show(mine: number, next: Stage): void {
    if (mine === turn) stage.value = next
  }
  function showProblem(found: Problem): void {
    problem.value = found
  }

  const pay = () =>
    act(
      async (mine) => show(mine, stageOf(await call('createPurchase', { body: choice, idempotencyKey: key }))),
      refuse,
    )

  function refuse(found: Problem): void {
    // Without an answer the result is unknown: the same key repeats the same purchase.
    if (found.status === 0 || found.code === 'idempotency_in_progress') return showProblem(found)
    key = crypto.randomUUID()
    const next = REFUSALS[found.code]
    if (next !== undefined) stage.value = next
    else if (found.code === 'no_saved_card') void look()
    else showProblem(found)
  }

  const openCheckout = () =>
    act(async (mine) => {
      const language = INVOICE_LANGUAGES.find((known) => known === locale.value)
      const { checkout_id: checkoutId, checkout_url: url } = await call('createCheckout', {
        body: { ...choice, ...(language !== undefined && { language }) },
        idempotencyKey: crypto.randomUUID(),
      })
      if (mine !== turn) return
      openPaymentPage(url)
      stage.value = { kind: 'paying', checkoutId, url }
    }, showProblem)

  const saveCard = () =>
    act(async (mine) => {
      const { url } = await call('createCardSetup')
      if (mine !== turn) return
      openPaymentPage(url)
      stage.value = { kind: 'saving', url }
    }, showProblem)

  /** Billing changed, possibly because of what the dialog waits for. */
  async function follow(): Promise<void> {
    const waiting = stage.value
    const mine = turn
    try {
      if (waiting.kind === 'processing') {
        const params = { purchase_id: waiting.purchase.id }
        show(mine, stageOf(await call('getPurchase', { params })))
      }
      if (waiting.kind === 'paying') {
        const { status } = await call('getCheckout', { params: { checkout_id: waiting.checkoutId } })
        if (status === 'paid') show(mine, { kind: 'paidOnPage' })
        if (status === 'expired' && mine === turn) await look()
      }
    } catch {
      // The next notice asks again.
    }
  }
  const live = useLive()
  const unsubscribe = [live.onNotice('billing', () => void follow()), live.onReset(() => void follow())]
  onScopeDispose(() => {
    end()
    unsubscribe.forEach((stop) => stop())
  })

  return { stage, preview, problem, isBusy, begin, end, look, pay, openCheckout, saveCard }
}

const stageOf = (purchase: Purchase): Stage => ({ kind: purchase.status, purchase })
