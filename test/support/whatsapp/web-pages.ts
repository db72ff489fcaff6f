import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../main/outbound/outbound.ts'

/** The web pages that contain the version of the network's own web client. */
export interface WebPages {
  readonly request: Outbound['request']
  /** Sets the version on the pages. */
  publish(revision: number): void
  /** Answers requests to this host with this status; null ends this. */
  fail(host: string, status: number | null): void
  /** Sets how long an answer takes. */
  delay(ms: number): void
  /** The requested hosts, in order. */
  readonly asked: readonly string[]
}

type Page = (revision: number) => string

const PAGES: Readonly<Record<string, Page>> = {
  'https://web.whatsapp.com/sw.js': (revision) =>
    `self.__swData=JSON.parse(/*BTDS*/"{\\"dynamic_data\\":{\\"SiteData\\":{\\"server_revision\\":${revision},\\"client_revision\\":${revision},\\"push_phase\\":\\"C3\\"}}}");`,
  'https://connect.facebook.net/en_US/sdk.js': (revision) =>
    `/*1789000000,,JIT Construction: v${revision},en_US*/\n\n/**\n * Copyright (c) 2017-present, Facebook, Inc. All rights reserved.\n */`,
}

/** The first page answers 400 unless the request looks like a person's browser. */
const isBrowser = ({ headers }: OutboundRequest) =>
  headers['sec-fetch-site'] === 'none' && /Chrome\/\d+/.test(headers['user-agent'] ?? '')

export function webPages(): WebPages {
  let revision = 1_035_920_091
  let delayMs = 0
  const failures = new Map<string, number>()
  const asked: string[] = []

  return {
    asked,
    publish: (next) => void (revision = next),
    delay: (ms) => void (delayMs = ms),
    fail(host, status) {
      if (status === null) failures.delete(host)
      else failures.set(host, status)
    },
    async request(request) {
      const { host } = new URL(request.url)
      asked.push(host)
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
      const page = PAGES[request.url]
      if (page === undefined) return answer(404, '')
      if (host === 'web.whatsapp.com' && !isBrowser(request)) return answer(400, 'Bad Request')
      const failure = failures.get(host)
      return failure === undefined ? answer(200, page(revision)) : answer(failure, '')
    },
  }
}

const answer = (status: number, body: string): OutboundAnswer => ({
  ...{ kind: 'response', status, headers: {}, body: Buffer.from(body), truncated: false, remoteIp: null },
})
