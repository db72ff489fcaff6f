import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { Notice, Topic } from '../../main/contract/notice.ts'
import { openLive } from './api.ts'
import { readMessages } from './event-stream.ts'
import { asProblem } from './problem.ts'

export type { Notice } from '../../main/contract/notice.ts'

const RETRY_DELAYS_MS = [250, 500, 1_000, 2_000, 5_000]
/**
 * The service sends something every 15 seconds, so a stream silent for longer has failed, whatever the socket
 * reports.
 */
const SILENCE_TIMEOUT_MS = 40_000

/** The service's notices for the whole window: one stream, reopened after every failure. */
export const useLive = defineStore('live', () => {
  const isOpen = ref(false)
  /** The stream failed and could not be reopened: the data on screen is as old as `lastContactMs`. */
  const isUnreachable = ref(false)
  const lastContactMs = ref(Date.now())
  let retryNow: () => void = () => {}
  const listeners = new Map<Topic, Set<(notice: Notice) => void>>()
  const resetListeners = new Set<() => void>()
  let lastId: string | undefined
  let hasBeenOpen = false
  let stop: AbortController | undefined

  function start(): void {
    if (stop !== undefined) return
    stop = new AbortController()
    void follow(stop.signal)
  }

  function end(): void {
    stop?.abort()
    stop = undefined
    // Changes before the restart are unknown: all screens reload then.
    lastId = undefined
    isOpen.value = false
    isUnreachable.value = false
  }

  async function follow(signal: AbortSignal): Promise<void> {
    for (let failures = 0; ; failures++) {
      const wasOpen = await readStream(signal)
      isOpen.value = false
      if (signal.aborted) return
      if (wasOpen) failures = 0
      else isUnreachable.value = true
      await new Promise<void>((resolve) => {
        retryNow = resolve
        setTimeout(resolve, RETRY_DELAYS_MS[Math.min(failures, RETRY_DELAYS_MS.length - 1)])
      })
    }
  }

  /** @returns whether the stream was open for a while. */
  async function readStream(signal: AbortSignal): Promise<boolean> {
    const silence = new AbortController()
    let timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS)
    try {
      const response = await openLive(lastId, AbortSignal.any([signal, silence.signal]))
      if (response.body === null) return false
      const watched = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, out) {
          clearTimeout(timer)
          timer = setTimeout(() => silence.abort(), SILENCE_TIMEOUT_MS)
          lastContactMs.value = Date.now()
          out.enqueue(chunk)
        },
      })
      // Without a position, earlier changes are unknown: all screens reload.
      if (hasBeenOpen && lastId === undefined) resetListeners.forEach((act) => act())
      hasBeenOpen = true
      isOpen.value = true
      isUnreachable.value = false
      lastContactMs.value = Date.now()
      for await (const { id, event, data } of readMessages(response.body.pipeThrough(watched))) {
        lastId = id ?? lastId
        if (event === 'reset') resetListeners.forEach((act) => act())
        if (event === 'notice') publish(JSON.parse(data) as Notice)
      }
      return true
    } catch (error) {
      return asProblem(error).status === 0 && isOpen.value
    } finally {
      clearTimeout(timer)
    }
  }

  function publish(notice: Notice): void {
    listeners.get(notice.topic)?.forEach((act) => act(notice))
  }

  /** @returns unsubscribes. */
  function onNotice(topics: Topic | readonly Topic[], act: (notice: Notice) => void): () => void {
    const wanted = typeof topics === 'string' ? [topics] : topics
    for (const topic of wanted) listeners.set(topic, (listeners.get(topic) ?? new Set()).add(act))
    return () => wanted.forEach((topic) => listeners.get(topic)?.delete(act))
  }

  /** Called when notices may have been missed. @returns unsubscribes. */
  function onReset(act: () => void): () => void {
    resetListeners.add(act)
    return () => resetListeners.delete(act)
  }

  return { isOpen, isUnreachable, lastContactMs, start, end, retry: () => retryNow(), onNotice, onReset }
})
