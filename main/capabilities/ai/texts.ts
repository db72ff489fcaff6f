import { fold } from '../../kernel/search/index.ts'

type Language = 'pt' | 'es' | 'en'

/** Messages that an agent sends without a model. They are polite and state no facts. */
const TEXTS = {
  holding: {
    pt: 'Não tenho essa informação agora. Vou passar sua mensagem para uma pessoa da equipe, que responde por aqui.',
    es: 'No tengo esa información ahora. Le paso su mensaje a una persona del equipo, que le responderá por aquí.',
    en: 'I don’t have that information right now. I’m passing your message to a person on our team, who will reply here.',
  },
  handoff: {
    pt: 'Vou passar a conversa para uma pessoa da equipe, que responde por aqui.',
    es: 'Le paso la conversación a una persona del equipo, que le responderá por aquí.',
    en: 'I’m passing this conversation to a person on our team, who will reply here.',
  },
  greeting: {
    pt: 'Olá! Como posso ajudar?',
    es: '¡Hola! ¿En qué puedo ayudar?',
    en: 'Hello! How can I help?',
  },
  goOn: {
    pt: 'Quer que eu continue?',
    es: '¿Quiere que continúe?',
    en: 'Shall I go on?',
  },
  followUp: {
    pt: 'Olá! Ficou alguma dúvida? É só responder por aqui.',
    es: '¡Hola! ¿Le quedó alguna duda? Puede responder por aquí.',
    en: 'Hello! Is there anything else you would like to know? Just reply here.',
  },
} as const satisfies Record<string, Record<Language, string>>

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const MARKERS: Readonly<Record<Language, ReadonlySet<string>>> = {
  pt: words(
    'oi ola voce voces nao sim quanto custa qual quais horario obrigado obrigada bom boa dia tarde noite tem fazem eu meu minha uma um para pra com por favor estou gostaria saber preco entrega onde fica ate mais tambem isso esta sao',
  ),
  es: words(
    'hola usted ustedes si cuanto cuesta cual cuales gracias buenos buenas dias tardes noches tienen hacen yo mi una un para con por favor estoy quisiera saber precio envio donde queda hasta tambien eso esta son el la los las y puedo quiero',
  ),
  en: words(
    'hello hi you your do does is are the what when where how much thanks thank please i my a an for with can could would like know price delivery open hours good morning afternoon evening have there it',
  ),
}

/** Number of characters that are enough to recognize the language. */
const TELLING = 2_000

/** Recognized by words that only one of the languages has; Portuguese if there are none. */
function languageOf(text: string): Language {
  const found = fold(text.slice(0, TELLING)).split(' ')
  const score = (language: Language) => found.filter((word) => MARKERS[language].has(word)).length
  const scores = (['pt', 'es', 'en'] as const).map((language) => ({ language, score: score(language) }))
  return scores.toSorted((a, b) => b.score - a.score)[0]?.language ?? 'pt'
}

export const say = (text: keyof typeof TEXTS, toWhat: string): string => TEXTS[text][languageOf(toWhat)]

const GREETINGS = words(
  'oi oii oie ola alo opa eai hello hi hey hola buenas buenos buen bom boa dia dias tarde tardes noite noches good morning afternoon evening tudo bem todo bien there',
)
const COURTESIES = words(
  'obrigado obrigada obg valeu vlw gracias thanks thank thx you ok okay blz beleza certo perfeito otimo perfecto vale listo great perfect muito muchas nada de',
)
const FAREWELLS = words(
  'tchau xau falou abraco abracos ate adios chao chau hasta bye goodbye cheers igualmente likewise tambem see have vemos vejo',
)
/** Words around a farewell: `até amanhã`, `que tenga un buen día`, `see you later`. */
const AROUND_FAREWELLS = words(
  'logo mais breve depois amanha proxima semana fim final um uma bom boa otimo otima dia tarde noite pra para voce voces tenha luego pronto manana nos vemos que tenga tenga un una buen buena buenas dias tardes noches lindo fin usted later soon then tomorrow next week a nice good great day evening weekend one for now the rest of your take care',
)

/** A greeting without a question, such as `Oi, bom dia`. */
export const isGreeting = (text: string): boolean => consistsOf(text, GREETINGS)
/** A courtesy that needs no answer, such as `Ok, obrigado!` or `See you tomorrow`. */
export const isCourtesy = (text: string): boolean =>
  consistsOf(text, COURTESIES) ||
  (consistsOf(text, POLITE) &&
    fold(text)
      .split(' ')
      .some((word) => COURTESIES.has(word) || FAREWELLS.has(word)))

/** Polite words that may surround a yes. */
const YES = words(
  'sim s ss claro pode podes quero ok okay blz beleza certo isso manda mande mandar enviar aham uhum com certeza por favor pf pfv yes y yeah yep yup sure please do si vale dale bueno venga quiero puede puedes',
)
const MORE = words(
  'continua continue continuar continuas continuo continua prossiga prossegue prosiga prosigue seguir segue siga sigue sigues mais mas more resto rest restante next proxima proximo siguiente',
)
const AROUND_MORE = words(
  'go on going keep ahead o a the el la lo me te e y and entao then pues que falta faltou falto tell conta conte conte cuente ler leer read send envia envie enviar quiero would like to can could you voce de all tudo todo',
)
const WISHES: ReadonlySet<string> = new Set([...YES, ...MORE, ...AROUND_MORE, ...COURTESIES])
const GO_ON = /\b(?:go on|go ahead|keep going)\b/
const THUMBS = /^(?:[\u{1F44D}\u{1F44C}\u{1F64F}\u2705]|[\u{1F3FB}-\u{1F3FF}]|\s)+$/u

/** A yes to the last question: `Sim`, `pode mandar`, a thumbs-up. */
export const isYes = (text: string): boolean => THUMBS.test(text.slice(0, 20)) || consistsOf(text, YES)

/** Asks for the rest of the answer: `Continua`, `quero o resto`, `go on please`. */
export function asksForMore(text: string): boolean {
  if (text.length > LONGEST_SENTENCE || !consistsOf(text.replaceAll('?', ' '), WISHES)) return false
  const said = fold(text)
  return GO_ON.test(said) || said.split(' ').some((word) => MORE.has(word))
}

const POLITE: ReadonlySet<string> = new Set([...COURTESIES, ...FAREWELLS, ...AROUND_FAREWELLS])

const MOST_WORDS = 8
const LONGEST_SENTENCE = 200

function consistsOf(text: string, known: ReadonlySet<string>): boolean {
  // Only short sentences are checked.
  if (text.length > LONGEST_SENTENCE || text.includes('?')) return false
  const found = fold(text)
    .split(' ')
    .filter((word) => word !== '')
  return found.length > 0 && found.length <= MOST_WORDS && found.every((word) => known.has(word))
}
