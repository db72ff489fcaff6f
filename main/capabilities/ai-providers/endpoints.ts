import type { KeyedProvider } from '../../contract/ai.ts'

/** The address of a provider, and the form of its requests. */
export interface Endpoint {
  readonly name: string
  /** Without a trailing slash; null: the operator has to enter it. */
  readonly baseUrl: string | null
  readonly keyHeader: (key: string) => Readonly<Record<string, string>>
  /** A path that requires a valid key. */
  readonly checkPath: string
  readonly modelsPath: string
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

export const ENDPOINTS = {
  openai: {
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keyHeader: bearer,
    checkPath: '/models',
    modelsPath: '/models',
  },
  anthropic: {
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyHeader: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    checkPath: '/models',
    modelsPath: '/models?limit=1000',
  },
  google: {
    name: 'Google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyHeader: (key) => ({ 'x-goog-api-key': key }),
    checkPath: '/models',
    modelsPath: '/models?pageSize=1000',
  },
  openrouter: {
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyHeader: bearer,
    // Its list of models is public, so it cannot verify a key.
    checkPath: '/key',
    modelsPath: '/models',
  },
  custom: { name: 'The server', baseUrl: null, keyHeader: bearer, checkPath: '/models', modelsPath: '/models' },
} as const satisfies Record<KeyedProvider, Endpoint>
