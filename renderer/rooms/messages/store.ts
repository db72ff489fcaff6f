import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef } from 'vue'
import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import { LIMITS } from '../../../main/contract/limits.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { useSession } from '../../app/session.ts'
import { useUnsaved } from '../../app/unsaved.ts'
import { createRequestOrder } from './request-order.ts'
import { isUnread, keepOpen } from './unread-list.ts'
import { isTyped, type ComposerDraft } from './composer-draft.ts'
import { coalesce } from './coalesce.ts'
import { createOutbox } from './outbox-sender.ts'
import { createOutboxStorage } from './outbox-storage.ts'
import { notInThread, type OutboxMessage } from './outbox.ts'
import type { ChatMessage, Conversation } from './records.ts'
import { firstPage, withNewest, withOlder, withReread, type Thread } from './thread.ts'

const CONVERSATIONS = 50
const MESSAGES = 60
/** The most records that the service returns per page. */
const MOST = LIMITS.pageSize
/** A long conversation has many pages, so they are not loaded again more often than this. */
const REREAD_EVERY_MS = 1_000

/** The conversations of one instance. One conversation can be open. */
export const useMessages = defineStore('messages', () => {
  const instanceId = ref('')
  const chat = ref('')
  const query = ref('')
  const filter = ref<'all' | 'unread'>('all')
  // Shallow, because records are replaced and never modified, and there may be a hundred thousand.
  const conversations = shallowRef<Conversation[]>()
  const conversationsProblem = ref<Problem>()
  const thread = shallowRef<Thread>()
  const threadProblem = ref<Problem>()
  const isLoadingOlder = ref(false)
  const outbox = shallowRef<readonly OutboxMessage[]>([])
  const sender = createOutbox({
    send: async (id, body, idempotencyKey) =>
      (await call('sendMessage', { params: { id }, body, idempotencyKey })).message_id,
    find: async (id, key) =>
      (await call('findMessage', { params: { id }, query: { idempotency_key: key } })).message_id,
    storage: createOutboxStorage(localStorage, useSession().session?.account.id ?? ''),
    now: Date.now,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onChange: (next) => (outbox.value = next),
    async onAccepted() {
      await refresh()
      return new Set(thread.value?.messages.map(({ message_id }) => message_id))
    },
  })
  void sender.restore()
  /** Unsent drafts by conversation: `<instance>/<chat>`. */
  const drafts = shallowReactive(new Map<string, ComposerDraft>())
  useUnsaved({
    isDirty: () => [...drafts.values()].some(isTyped),
    staysInWindow: true,
    discard: () => drafts.clear(),
  })
  /** The quoted message of each conversation. */
  const quotes = shallowReactive(new Map<string, ChatMessage>())
  const conversationRequests = createRequestOrder()
  const threadRequests = createRequestOrder()
  let moreConversations: string | null = null
  /** The cursor after the newest page. */
  let newestCursor: string | null = null
  let rereading: ReturnType<typeof setTimeout> | undefined
  const live = useLive()
  let isShown = false
  live.onNotice('messages', ({ id, instance_id }) => {
    const told = instance_id ?? id
    if (!isShown) return
    if (instanceId.value === '' || (told !== undefined && told !== instanceId.value)) return
    void refresh()
    rereadSoon()
  })
  live.onNotice('conversations', ({ instance_id }) => {
    if (isShown && instanceId.value !== '' && instance_id === instanceId.value) void refreshList()
  })
  live.onReset(() => void sender.settle())
  live.onReset(catchUp)

  function catchUp(): void {
    if (!isShown || instanceId.value === '') return
    void refresh()
    rereadSoon()
  }
  /** Called when the inbox is shown or hidden. While it is hidden, nothing is requested. */
  function setShown(next: boolean): void {
    isShown = next
    if (conversations.value !== undefined) catchUp()
  }

  const pending = computed(() =>
    notInThread(
      outbox.value.filter((one) => one.instanceId === instanceId.value && one.chat === chat.value),
      thread.value?.messages ?? [],
    ),
  )
  /** Conversations of this instance with a message that could not be sent. */
  const unsentChats = computed(() => [
    ...new Set(
      outbox.value
        .filter((one) => one.instanceId === instanceId.value && one.state === 'failed')
        .map((one) => one.chat),
    ),
  ])
  /** The open conversation, if it is not in the loaded part of the list or in the search results. */
  const unlisted = shallowRef<Conversation>()
  const conversation = computed(() =>
    [...(conversations.value ?? []), ...(unlisted.value ? [unlisted.value] : [])].find(
      (one) => one.chat === chat.value,
    ),
  )
  /** Identifies the open conversation, so that late answers for another one can be ignored. */
  const openThread = () => ({ id: instanceId.value, chat: chat.value })
  const isOpen = (asked: ReturnType<typeof openThread>) => asked.id === instanceId.value && asked.chat === chat.value

  async function openInstance(id: string): Promise<void> {
    if (id === instanceId.value && conversations.value !== undefined) return
    instanceId.value = id
    query.value = ''
    filter.value = 'all'
    conversations.value = conversationsProblem.value = unlisted.value = undefined
    // The same person may have chats with two instances, and their messages must not be mixed up.
    chat.value = ''
    thread.value = threadProblem.value = undefined
    if (id === '') return
    await loadConversations()
    await loadUnlisted()
  }

  async function openChat(id: string): Promise<void> {
    if (id === chat.value && thread.value !== undefined) return
    chat.value = id
    if (filter.value === 'unread')
      conversations.value = conversations.value?.filter((one) => one.chat === id || isUnread(one))
    thread.value = threadProblem.value = undefined
    if (id !== '') await Promise.all([loadThread(), loadUnlisted()])
  }

  async function search(words: string): Promise<void> {
    query.value = words
    await loadConversations()
    await loadUnlisted()
  }

  async function show(wanted: 'all' | 'unread'): Promise<void> {
    filter.value = wanted
    conversations.value = undefined
    await loadConversations()
  }

  async function loadConversations(): Promise<void> {
    const [asked, words, shown] = [instanceId.value, query.value, filter.value]
    const request = conversationRequests.begin()
    try {
      const page = await call('listConversations', {
        params: { id: asked },
        query: {
          limit: Math.max(CONVERSATIONS, Math.min(conversations.value?.length ?? 0, 200)),
          q: words,
          filter: shown,
        },
      })
      if (asked !== instanceId.value || words !== query.value || !conversationRequests.isLatest(request)) return
      conversations.value = shown === 'unread' ? keepOpen(page.data, conversations.value, chat.value) : page.data
      moreConversations = page.next_cursor
      conversationsProblem.value = undefined
    } catch (error) {
      if (asked === instanceId.value) conversationsProblem.value = asProblem(error)
    }
  }

  const loadMoreConversations = coalesce(async () => {
    const [asked, words, cursor] = [instanceId.value, query.value, moreConversations]
    if (cursor === null) return
    const page = await call('listConversations', {
      params: { id: asked },
      query: { limit: CONVERSATIONS, q: words, cursor, filter: filter.value },
    })
    if (asked !== instanceId.value || words !== query.value || cursor !== moreConversations) return
    const known = new Set(conversations.value?.map((one) => one.chat))
    conversations.value = [...(conversations.value ?? []), ...page.data.filter((one) => !known.has(one.chat))]
    moreConversations = page.next_cursor
  })

  async function loadUnlisted(): Promise<void> {
    const asked = openThread()
    // Before the list is loaded, it is unknown whether it contains the conversation.
    if (asked.chat === '' || (conversations.value?.some((one) => one.chat === asked.chat) ?? true)) return
    const [q] = asked.chat.split('@', 1)
    const query = { q, limit: CONVERSATIONS, cursor: undefined, filter: undefined }
    const page = await call('listConversations', { params: { id: asked.id }, query }).catch(() => undefined)
    if (isOpen(asked)) unlisted.value = page?.data.find((one) => one.chat === asked.chat) ?? unlisted.value
  }

  async function loadThread(): Promise<void> {
    const asked = openThread()
    const request = threadRequests.begin()
    try {
      const page = await call('listThread', { params: asked, query: { limit: MESSAGES } })
      if (!isOpen(asked) || !threadRequests.isLatest(request)) return
      newestCursor = page.next_cursor
      thread.value = thread.value === undefined ? firstPage(page) : withNewest(thread.value, page)
      threadProblem.value = undefined
    } catch (error) {
      if (isOpen(asked)) threadProblem.value = asProblem(error)
    }
  }

  const loadOlder = coalesce(async () => {
    const [asked, cursor] = [openThread(), thread.value?.older] as const
    if (cursor === null || cursor === undefined) return
    isLoadingOlder.value = true
    try {
      const page = await call('listThread', { params: asked, query: { limit: MESSAGES, cursor } })
      if (isOpen(asked) && thread.value?.older === cursor) thread.value = withOlder(thread.value, page)
    } finally {
      isLoadingOlder.value = false
    }
  })

  const refresh = coalesce(async () => {
    await Promise.all([loadConversations().then(loadUnlisted), ...(chat.value === '' ? [] : [loadThread()])])
  })

  const refreshList = coalesce(() => loadConversations().then(loadUnlisted))

  /** Loads the messages before the newest page again, because a notice does not say which message changed. */
  const reread = coalesce(async () => {
    const asked = openThread()
    let cursor = newestCursor
    for (let left = (thread.value?.messages.length ?? 0) - MESSAGES; left > 0 && cursor !== null; left -= MOST) {
      const page = await call('listThread', { params: asked, query: { limit: MOST, cursor } })
      if (!isOpen(asked) || thread.value === undefined) return
      thread.value = withReread(thread.value, page)
      cursor = page.next_cursor
    }
  })

  function rereadSoon(): void {
    if ((thread.value?.messages.length ?? 0) <= MESSAGES) return
    rereading ??= setTimeout(() => {
      rereading = undefined
      // After a failure, the messages stay as they are until the next notice tries again.
      void reread().catch(() => {})
    }, REREAD_EVERY_MS)
  }

  /** Marks a conversation as read or unread. @throws Problem */
  async function setUnread(id: string, wanted: boolean): Promise<void> {
    const asked = instanceId.value
    const change = wanted ? { marked_unread: true } : { unread_messages: 0, marked_unread: false }
    const changed = (one: Conversation) => (one.chat === id ? { ...one, ...change } : one)
    conversations.value = conversations.value?.map(changed)
    unlisted.value &&= changed(unlisted.value)
    await call('setConversationUnread', { params: { id: asked, chat: id }, body: { unread: wanted } })
  }

  /** Sends a message to the open conversation. It stays in the outbox until the conversation shows it. */
  const send = (body: SendBody): void =>
    void sender.send({
      ...{ instanceId: instanceId.value, chat: chat.value, body },
      after: thread.value?.messages.at(-1)?.message_id,
    })

  return {
    ...{ instanceId, chat, query, conversations, conversationsProblem, conversation, thread, threadProblem },
    ...{
      isLoadingOlder,
      pending,
      drafts,
      quotes,
      setShown,
      openInstance,
      openChat,
      search,
      loadConversations,
      loadMoreConversations,
    },
    ...{
      filter,
      refreshList,
      show,
      setUnread,
      loadThread,
      loadOlder,
      send,
      unsentChats,
      retry: sender.retry,
      discard: sender.discard,
    },
  }
})
