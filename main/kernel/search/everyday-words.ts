import { EVERYDAY_SUBJECTS } from './everyday-subjects.ts'
import { fold } from './fold.ts'
import { stem } from './stem.ts'

const words = (text: string): string[] => text.trim().split(/\s+/)

/** Folded words that say nothing about the subject, in Portuguese, Spanish, English and German. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  words(`
  a o as os um uma uns umas e ou de do da dos das em no na nos nas num numa por pelo pela para pra pro com sem que qual
  quais como se eu voce voces nos ele ela eles elas meu minha meus minhas seu sua seus suas nosso nossa me te lhe isso
  isto esse essa este esta ta to ai aqui la ja so mais mas muito tambem ate sobre entre ser e eh sao foi era estou esta
  estao tem ter tenho temos havia ha pode podem posso consigo quero queria gostaria preciso saber fazer faz fazem faco
  dar da vou vai vem ver oi ola oie alo bom boa bem tudo favor obrigado obrigada nao sim n dia gente alguem algum alguma
  algo coisa tipo entao nesse nessa desse dessa dele dela qualquer ai aceita aceitam trabalham trabalha oferecem oferece
  possivel seria existe quantos quantas atende atendem atender ir consigo consegue estar estamos cada todo toda
  todos todas
  el la los las un una unos unas y u del al en con sin que cual cuales como si yo tu usted ustedes ella ellos ellas mi
  mis su sus nuestro lo le les esto eso ese esa este esta aqui alli ya solo mas pero muy tambien hasta sobre entre ser es
  son fue era estoy estan hay tengo tienen tiene tenes tienes puedo puede pueden podria podrian quiero quisiera necesito
  saber hacer hace hacen hago voy va van ver hola buen buenas buenos bien favor gracias no si algun alguna alguien algo
  entonces aceptan acepta trabajan ofrecen ofrece posible seria manejan haces cuantos cuantas atienden
  atiende atender
  the a an and or of to in on at by for from with without that which what how if i you he she it we they my your his her
  its our their me us them this these those here there is are was were be been am do does did doing have has had can
  could may might must shall should will would want wanna need like know get got hi hello hey please thanks thank yes no
  not any some someone something so then than too very just also about into out up u ur r im ive id youre guys accept
  accepts offer offers take takes possible ok okay let lets make give go going see look gonna whats dont cant wont isnt
  one ones each every all manage able somewhere anywhere everywhere
  der das den dem des ein eine einen einem einer eines und oder aber ich du er sie wir ihr es mich mir dich dir uns euch
  mein meine meinen meinem meiner dein deine euer eure eurem eurer ihre ihren ihrem ihrer sein seine ist sind bin bist war
  waren wird werden wurde habe haben habt hat hatte kann konnen konnt koennt koennen darf muss mussen soll will wollen
  mochte moechte wurden wuerde gibt geht gehen machen macht mach brauche brauchen braucht welche welcher welches was wer
  wie warum mit ohne bei von vom zu zum zur im am auf aus fur fuer nach vor uber ueber unter bis um als wenn dass ob so
  auch noch schon nur sehr mal denn doch da hier dort dieser diese dieses kein keine keinen nicht ja nein bitte danke
  hallo moin gruss grusse eigentlich etwas jemand jede jeder jedes alle alles irgendwo
`),
)

/** Words that say what kind of answer is expected, and less about the subject than any other word. */
export const QUESTION_WORDS: ReadonlySet<string> = new Set(
  words('onde donde where quando cuando when quanto cuanto wo wann wieviel').map(stem),
)

/** Short forms of chats and what they stand for. */
export const SHORT_FORMS: Readonly<Record<string, string>> = {
  ...{ vc: 'voce', vcs: 'voces', q: 'que', qe: 'que', ke: 'que', pq: 'que', xq: 'que', hj: 'hoje', tb: 'tambem' },
  ...{ tbm: 'tambem', tmb: 'tambem', qto: 'quanto', qt: 'quanto', qnt: 'quanto', qnto: 'quanto', kto: 'cuanto' },
  ...{ cto: 'cuanto', cnto: 'cuanto', qdo: 'quando', qd: 'quando', qndo: 'quando', ond: 'onde', dnd: 'donde' },
  ...{ zap: 'whatsapp', zapzap: 'whatsapp', wpp: 'whatsapp', wsp: 'whatsapp', whats: 'whatsapp', wa: 'whatsapp' },
  ...{ cel: 'celular', tel: 'telefone', hr: 'horas', hrs: 'horas', sab: 'sabado', sat: 'saturday', dom: 'domingo' },
  ...{ sun: 'sunday', fds: 'weekend', finde: 'weekend', findes: 'weekend', wknd: 'weekend', wkend: 'weekend' },
  ...{ appt: 'appointment', apt: 'appointment', appts: 'appointment', pls: 'please', plz: 'please', porfa: 'favor' },
  ...{ xfa: 'favor', pfv: 'favor', pfvr: 'favor', pf: 'favor', obg: 'obrigado', vlw: 'obrigado', blz: 'bem' },
  ...{ thx: 'thanks', ty: 'thanks', mt: 'muito', mto: 'muito', msm: 'mesmo', aki: 'aqui', addy: 'address' },
  ...{ loc: 'localizacao', info: 'informacoes', promo: 'promocao', deliv: 'delivery', x: 'por', k: 'que' },
}

/** Greetings of several words, which mean nothing although each of the words may. */
export const GREETINGS =
  /\b(?:bo[mna]s? (?:dias?|tardes?|noites?)|buen[oa]s? (?:dias?|tardes?|noches?)|good (?:morning|afternoon|evening)|guten (?:tag|morgen|abend)|tudo (?:bem|bom)|todo bien|como (?:estas?|vai|van|estan?)|por favor|how are you|viel(?:en)? dank)\b/g

interface Subjects {
  /** The subjects that a word stands for: words of one subject are found by each other, in any language. */
  readonly ofWord: ReadonlyMap<string, readonly string[]>
  /** The same for the other forms of a word. */
  readonly ofStem: ReadonlyMap<string, readonly string[]>
  /** Phrases by their first word, the longest first. */
  readonly phrases: ReadonlyMap<string, readonly Phrase[]>
}

interface Phrase {
  readonly words: readonly string[]
  readonly subjects: readonly string[]
}

let built: Subjects | undefined

/** Made when they are first asked for, because that takes longer than a service should wait at its start. */
export const everydaySubjects = (): Subjects => (built ??= buildSubjects())

function buildSubjects(): Subjects {
  const ofWord = new Map<string, string[]>()
  const ofStem = new Map<string, string[]>()
  const ofPhrase = new Map<string, string[]>()
  for (const [subject, byLanguage] of Object.entries(EVERYDAY_SUBJECTS)) {
    for (const text of Object.values(byLanguage).flatMap(words)) {
      const spaced = text.replaceAll('_', ' ')
      // Most words are folded already.
      const word = /^[a-z ]+$/.test(spaced) ? spaced : fold(spaced)
      const isPhrase = word.includes(' ')
      add(isPhrase ? ofPhrase : ofWord, word, `#${subject}`)
      if (!isPhrase) add(ofStem, stem(word), `#${subject}`)
    }
  }
  const phrases = new Map<string, Phrase[]>()
  for (const [phrase, found] of ofPhrase) {
    const [first = '', ...rest] = phrase.split(' ')
    phrases.set(first, [...(phrases.get(first) ?? []), { words: [first, ...rest], subjects: found }])
  }
  for (const list of phrases.values()) list.sort((a, b) => b.words.length - a.words.length)
  return { ofWord, ofStem, phrases }
}

function add(map: Map<string, string[]>, key: string, subject: string): void {
  const known = map.get(key) ?? []
  if (!known.includes(subject)) map.set(key, [...known, subject])
}
