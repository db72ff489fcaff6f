declare module 'jssip/lib/RequestSender.js' {
  /** JsSIP's sender, which answers authentication challenges. It has no types. */
  export default class RequestSender {
    constructor(agent: unknown, request: object, handlers: object)
    readonly clientTransaction: { cancel(): void }
    send(): void
  }
}
