import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { EmbeddingModel, LanguageModel } from 'ai'
import type { AccountId } from '../../kernel/ids.ts'
import { guardedFetch } from './guarded-fetch.ts'
import type { Access } from './keys.ts'

type ChatModel = Exclude<LanguageModel, string>

/** Some servers require a key in the header and accept any value. */
const NO_KEY = 'none'

/** The models of a provider. Every request goes through the guard. */
export function modelsOf({ provider, way, key }: Access, accountId: AccountId) {
  const options = {
    baseURL: way.baseUrl,
    apiKey: key?.open() ?? NO_KEY,
    fetch: guardedFetch(way, accountId),
  }
  switch (provider) {
    case 'openai': {
      const openai = createOpenAI(options)
      return {
        chat: (model: string): ChatModel => openai.chat(model),
        embedding: (model: string): EmbeddingModel => openai.embedding(model),
      }
    }
    case 'anthropic': {
      const anthropic = createAnthropic(options)
      return { chat: (model: string): ChatModel => anthropic(model), embedding: null }
    }
    case 'google': {
      const google = createGoogle(options)
      return {
        chat: (model: string): ChatModel => google(model),
        embedding: (model: string): EmbeddingModel => google.embedding(model),
      }
    }
    case 'openrouter':
    case 'custom': {
      const compatible = createOpenAICompatible({
        ...options,
        name: provider,
        supportsStructuredOutputs: true,
        includeUsage: true,
      })
      return {
        chat: (model: string): ChatModel => compatible.chatModel(model),
        embedding: (model: string): EmbeddingModel => compatible.embeddingModel(model),
      }
    }
  }
}
