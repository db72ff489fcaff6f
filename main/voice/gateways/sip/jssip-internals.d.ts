declare module 'jssip/lib/RequestSender.js' {
  /** JsSIP's, which answers a request for the password. It has no types of its own. */
  export default class RequestSender {
    constructor(agent: unknown, request: object, handlers: object)
    readonly clientTransaction: { cancel(): void }
    send(): void
  }
}
