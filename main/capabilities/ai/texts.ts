import { fold } from '../../kernel/search/index.ts'

type Language = 'pt' | 'es' | 'en'

/** What an agent says without a model. It is what a polite colleague would say, and claims nothing. */
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

/** By the words that only one of them has; Portuguese if none tells. */
function languageOf(text: string): Language {
  const found = fold(text).split(' ')
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
/** What a farewell has around it: `até amanhã`, `que tenga un buen día`, `see you later`. */
const AROUND_FAREWELLS = words(
  'logo mais breve depois amanha proxima semana fim final um uma bom boa otimo otima dia tarde noite pra para voce voces tenha luego pronto manana nos vemos que tenga tenga un una buen buena buenas dias tardes noches lindo fin usted later soon then tomorrow next week a nice good great day evening weekend one for now the rest of your take care',
)

/** `Oi, bom dia`: wants to be greeted back, and asks nothing yet. */
export const isGreeting = (text: string): boolean => consistsOf(text, GREETINGS)
/** `Ok, obrigado!`, `See you tomorrow`: needs no answer. */
export const isCourtesy = (text: string): boolean =>
  consistsOf(text, COURTESIES) ||
  (consistsOf(text, POLITE) &&
    fold(text)
      .split(' ')
      .some((word) => COURTESIES.has(word) || FAREWELLS.has(word)))
const POLITE: ReadonlySet<string> = new Set([...COURTESIES, ...FAREWELLS, ...AROUND_FAREWELLS])

const MOST_WORDS = 8

function consistsOf(text: string, known: ReadonlySet<string>): boolean {
  // Looked at only as far as a short sentence goes.
  if (text.length > 200 || text.includes('?')) return false
  const found = fold(text)
    .split(' ')
    .filter((word) => word !== '')
  return found.length > 0 && found.length <= MOST_WORDS && found.every((word) => known.has(word))
}
