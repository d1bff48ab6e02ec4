/** A context that holds the request and can ask nothing. */

export class Context {
  request
  #conversation

  constructor(request, conversation) {
    this.request = request
    this.#conversation = conversation
  }

  static outcome(_, returned) {
    return returned
  }

  static asked(_, required) {
    return required
  }

  static unawaited() {
    return undefined
  }

  log(level, data, logger) {
    this.#conversation.log(level, data, logger, this.request)
  }
}
