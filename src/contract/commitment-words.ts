/**
 * Words of a language for promises, dates and amounts, as regular expressions in lower case: ignoring case would take five
 * times as long to compile. Each line has alternatives, which match whole words, except in Korean and Japanese. `{verb}` is one of the verbs, `{date}` one of the dates.
 */
export interface CommitmentWords {
  /** Words by which the language is detected; empty if it has its own script. */
  readonly frequent: string;
  /** Verbs of promises, in the forms that `promises` needs. */
  readonly verbs: string;
  readonly promises: string;
  /** Phrases that look like a promise or a request; they are ignored. */
  readonly exceptions: string;
  /** Words about habits and the past: a sentence with such a word is not a promise. */
  readonly habits: string;
  /** Requests and offers: a promise if the next speaker accepts. */
  readonly requests: string;
  /** The first words of an utterance that accepts. */
  readonly acceptances: string;
  readonly dates: string;
  readonly amounts: string;
}

export const commitmentWords = {
  english: {
    frequent: 'the and you that have this what are with it of to',
    verbs: `send|share|e-?mail|mail|forward|write|draft|prepare|check|confirm|clarify|call|ring|phone|book|schedule|set up|arrange|organi[sz]e
      ask|talk to|speak (?:to|with)|bring|add|update|fix|change|correct|review|test|deliver|ship|sign|pay|invoice|introduce|get (?:you|it|back)
      come back|follow up|look (?:into|at)|find out|let (?:you|them|him|her|everyone) know|take care|handle|finish|order|upload|invite|make sure
      put|give you|show you|print|collect|pick up|block|reserve|cover|provide|submit|return|copy you|keep you|remind|include|remove|install|draw|visit`,
    promises: String.raw`
      (?:i|we)(?:'ll| will| shall)(?: \p{L}+ly| also| just| then| still| both)? \p{L}+|(?:i|we) will(?=[,.!])|(?:i|we) can {verb}
      (?:i'm|i am|we're|we are) (?:(?:going to|gonna) {verb}|sending|calling|shipping|delivering|booking|(?:with|back|there|over).{0,60}{date})
      (?:i|we) (?:send|call|promise|guarantee|commit to|owe|(?:{verb}|take|meet|decide) .{0,60}{date})|let me (?:{verb}|see (?:if|what|whether)|take)
      (?!you|it|that|this|there|which|what|who|people)\p{L}+(?:'ll| will| is going to) {verb}
      you(?:'ll| will) (?:have|get|receive|hear|find) (?:it|them|from|the|our|my|an?|your|one|both|everything)
      (?:will|'ll) be (?:ready|done|with you|in your|sent|delivered|finished|fixed|shipped)|as promised|^deal(?=[.,!])|^{date}[^.]{0,40}, then(?=[.!])
      you have my word|leave (?:it|that|this) (?:with|to) (?:me|us)|i'm on it|consider it done|will do|count on (?:me|us)|on my (?:list|plate|desk)
      that(?:'s| is| one is) (?:me|mine|on me|on us)|i take (?:that|this|it)|action (?:items? )?(?:for|on) (?:me|us)|my (?:action|task|job|homework)`,
    exceptions: String.raw`
      (?:i|we)(?:'ll| will| shall)(?: \p{L}+ly| also| just| then| still)? (?:see(?! (?:to|if|whether|what))|be(?! (?:in touch|back|sending|there|with|ready))|have(?! (?:it|that|them|the|an?|our|your|my) )
        find(?! out)|let you(?! know)|need|know|think|miss|say|admit|remember|believe|wait|lose|never|not|get to|start (?:with|by)|stop|want|like|love|hear|feel|probably|tell you (?:what|why|how))
      you(?:'ll| will) (?:have to|get used)|if (?:i|we|you) [^,]{1,60}, you(?:'ll| will) \p{L}+|share (?:my|the) screen
      (?:if|what|when|whether|how|who|where|which) (?:i|we|you|they)(?:'ll| will) \p{L}+`,
    habits: 'always|usually|normally|often|every|each|sometimes|yesterday|last (?:week|month|year)|ago',
    requests: `(?:can|could|will|would) (?:you|we|someone|your team)(?! (?:hear|see|say|explain|describe|imagine|tell me))|please|would you mind
      send (?:me|us)|i(?:'d| would) like you to|(?:i|we) need you to|(?:shall|should|can) (?:i|we)|want me to|make sure|let (?:me|us) know
      who (?:gets|takes|calls|sends|brings|does|can|will|pays)|^(?:{verb}|borrow|take|keep|try|give)`,
    acceptances: `yes|yeah|yep|sure|of course|ok|okay|will do|absolutely|certainly|gladly|happy to|with pleasure|no problem|done|agreed|deal
      right away|noted|consider it|i will|i'll|we will|we'll|you'll|please|fine|good|great|perfect|promise|me`,
    dates: String.raw`(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow|tonight|in (?:\p{L}+|\d+) (?:days|weeks|months)|(?:the )?\d+(?:st|nd|rd|th)
      january|february|april|june|july|august|september|october|november|december|(?:in|march|may) (?:march|may|\d+)
      (?:next|this|coming|end of the|end of this) (?:week|month|quarter|year|spring|summer|autumn|fall|winter)
      (?:on|by|until|before) the (?:\p{L}+-)?(?:first|second|third|(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf|\p{L}+teen|\p{L}+tie)th)`,
    amounts: String.raw`(?:\d[\d.,]{0,12}|\p{L}{3,})[ -](?:dollars?|euros?|pounds?|francs?|cents?|won|yen|per ?cent)|thousand|million|billion
      (?:\d|hundred|teen|\p{L}+(?:ty|ee|ne|ve|en|ht)) (?:a|per|every) (?:month|year|quarter|seat|user)`,
  },
  german: {
    frequent: 'der das und ist nicht ich sie mit ein eine auf für auch wir dann noch wie',
    verbs: `schicken?|schick|senden?|mailen?|schreiben?|schreib|rufen?|ruf|prüfen?|prüf|klären?|klär|kümmern?|kümmere|bringen?|bring|liefern?|liefere
      frag|melden?|meld|koordinieren?|buchen?|reservieren?|bereiten?|leiten?|geben?|nehmen?|überarbeiten?|ergänzen?|aktualisieren?|bespreche|erstellen?
      besorgen?|holen?|hol|überweisen?|unterschreiben?|lade|trage|checken?|bestellen?|ändern?|ändere|korrigieren?
      teste|baue|reichen?|sorgen?|informieren?|übernehmen?|verspreche|garantieren?|mache|mach|notieren?|drucken?|vereinbaren?|hake|schließen?|tippe?`,
    promises: String.raw`
      ich (?:auch |dann |gleich )?{verb}|{verb} (?:ich|wir)|wir (?:bereiten|schicken|senden|melden|klären|prüfen|kümmern|liefern|bringen|reservieren|erstellen)
      (?:(?:ich|wir) \p{L}+|\p{L}+ (?:ich|wir)) .{0,60}{date}|(?:ich|wir) werden?|werden? (?:ich|wir)|wird (?:erledigt|gemacht)
      (?:ich|wir) (?:kann|können) (?:dir|ihnen|euch|das|es|sie|ihn|den|die|gerne?)|(?:kann|können) (?:ich|wir) (?:dir|ihnen|euch)
      \p{L}+ (?:schickt|sendet|mailt|meldet|liefert|bringt|klärt|prüft|kümmert|ruft|gibt|erledigt|übernimmt) (?:ihnen|dir|euch|uns|sich|es|das|sie|ihn)
      (?:bekommen|erhalten|hören|kriegen|haben) sie|sie (?:bekommen|erhalten|hören|kriegen)|(?:sage?|gebe?) (?:ich )?(?:\p{L}+ )?bescheid
      versprochen|verlassen sie sich|verlass dich|lass(?:en sie)? mich|aufgabe für mich
      du (?:bekommst|kriegst|hörst)|(?:bekommst|kriegst|hörst|hast) du|ihr (?:bekommt|kriegt)|(?:bekommt|kriegt|habt) ihr`,
    exceptions: String.raw`
      (?:kann|können|bekommen|{verb}) (?:ich |wir |sie )?(?:\p{L}+ ){0,2}(?:nicht|kein\p{L}*)|mache? mir|kann (?:sie|dich|euch) (?:\p{L}+ )?(?:hören|sehen)
      (?:wenn|dass|ob|was|wie|warum|weil) (?:ich|wir) \p{L}+|(?:ich |wir )?(?:hab(?!en sie|t ihr)|bin|sind|war|wuss|weiß|wiss|denk|glaub|find|woll|soll|muss|müss|konn|dach|mein|kenn)\p{L}*(?: ich| wir)?
      (?:frag|geb|nehm|schau|guck)\p{L}* (?:ich|wir) (?:mal|mich|zu|an)|ich (?:frag|geb|nehm|schau)\p{L}* (?:mal|mich|zu|an|ihnen recht|dir recht)
      (?:haben|hören|hast|habt|kriegen) (?:sie|du|ihr) (?:mich|noch|schon|eine|einen|das|recht|fragen|auch|gerade|ja|da)
      werden? (?:ich|wir|nicht) (?:nie|sehen|nicht|gefragt)|(?:ich|wir) werden? (?:nie|nicht|sehen|gefragt|immer)`,
    habits:
      'gestern|letzte[nrsm]?|vorige[nrsm]?|neulich|damals|seit|immer|meistens|bisher|früher|jede[nrsm]?|oft|manchmal',
    requests: `(?:können|könnten|würden|werden|schicken|senden|geben|sagen|bringen|rufen|machen) (?:sie|wir)|soll(?:en)? (?:ich|wir)|darf ich|brauchen?|bräuchte
      (?:kannst|könntest|würdest|schickst|machst|gibst|sagst|bringst|rufst) du|(?:könnt|könntet|schickt) ihr|(?:schick|gib|sag|ruf|bring|mach) (?:mir|uns|es|das)`,
    acceptances: String.raw`ja|gerne?|klar|natürlich|selbstverständlich|mach(?:e|en)? (?:ich|wir)|okay|ok|gut|einverstanden|abgemacht|in ordnung|wird gemacht
      sicher|alles klar|versprochen|notiert|genau|auf jeden fall|das mach\p{L}* (?:ich|wir)|sehr gern|bekommen sie|bekommst du|bitte|perfekt|super|passt`,
    dates: String.raw`(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|(?:bis|ab) morgen|morgen (?:früh|mittag|nachmittag|abend)|übermorgen
      januar|februar|märz|april|juni|juli|august|september|oktober|november|dezember|im mai|in (?:\p{L}+|\d+) (?:tagen|wochen|monaten)
      (?:nächste|diese|kommende)[nrsm]? (?:woche|monats?|quartals?|jahr|jahres)|(?:monats|jahres|quartals|wochen)ende|(?:ende|anfang|mitte) (?:der|des|dieser|mai)
      (?:am|bis|zum|vom|den) (?:\d+\.|\p{L}*(?:ersten|zweiten|dritten|(?:vier|fünf|sechs|sieb|acht|neun|zehn|elf|zwölf)ten|zehnten|zigsten))`,
    amounts: String.raw`(?:\d[\d.,]{0,12}|\p{L}{3,}) (?:euro|dollar|pfund|franken|cent|prozent|won|yen)|\p{L}*tausend\p{L}*|millionen?|milliarden?
      (?:\d|\p{L}*(?:hundert|zig|zehn)) (?:im|pro) (?:monat|jahr|quartal|platz)`,
  },
  french: {
    frequent: 'le les et est je vous nous pas une des pour dans du on au avec ça qui que',
    verbs: `envoi?e|envoyons|fais|faisons|transmets|prépare|préparons|rappelle|rappelons|recontacte|confirme|confirmons|vérifie|vérifions|regarde|demande
      montre|mets|mettons|donne|donnons|reviens|revenons|tiens|tenons|apporte|apportons|appelle|appelons|écris|présente|partage|note|garde|rédige|relance
      réserve|réservons|coordonne|planifie|commande|corrige|ajoute|ajoutons|bloque|occupe|occupons|charge|chargeons|engage|engageons|promets
      livre|livrons|signe|signons|passe|passons|renvoie|adresse|modifie|prends|imprime|complète|cherche|facture|viens|invite|teste|laisse|décide`,
    promises: String.raw`
      (?:je |j')(?:(?:vous|te|le|la|les|lui|leur|me|y|en) |[tlm]'|m'en |m'y )*(?:{verb}|\p{L}+rai)
      nous (?:(?:vous|te|lui|leur|nous) |nous en )(?:le |la |les )?{verb}|on (?:(?:vous|te|lui|leur) |t'|s'en )(?:l'|le |la |les )?{verb}
      (?:je|on|nous) (?!suis|étais|avais|veux|crois|pense|était|étions|a |avait|est |sommes|avons|\p{L}+ais )\p{L}+ .{0,60}{date}
      nous (?:(?:vous|te|le|la|les|lui|leur|nous|y|en) |[tl]')*\p{L}+rons|on (?:(?:vous|te|le|la|les|lui|leur|y|en|se) |[tls]'|s'en )*\p{L}+ra
      (?:je vais|nous allons|on va)(?: (?:vous|te|le|la|les|lui|leur|me|nous|y|en))* ?(?:[tlm]'|m'en )?\p{L}+(?:er|ir|re)
      (?:vous|te|t'|lui|leur) ?(?:l'|le |la |les )?\p{L}+(?:era|dra|ront)|(?:va|vont) (?:vous|te|lui|leur|s'en|t') ?\p{L}+er|je peux (?:vous|te|t') ?\p{L}+er
      vous (?:l'|les )?(?:aurez|recevrez)|tu (?:l'|les )?(?:auras|recevras)|c'est (?:promis|comme si)|sans faute|à moi de
      (?:mettez|mets|inscris|inscrivez|comptez|compte|laissez|laisse)-moi|comptez? sur|(?:sera|seront) (?:prête?s?|faite?s?|envoyée?s?|livrée?s?)`,
    exceptions: `
      (?:aurai|aurons|aura)(?! (?:le|la|les|ça|votre|vos|tout|un|une) )|serai(?! (?:là|présente?|de retour))|(?:dev|pour|sau|ver|di|voud)(?:rai|rons|ra)
      serons|faudra|vrai|aurez (?:compris|remarqué|vu)|vous présente|prends un exemple|(?:vais|allons|va) (?:être|avoir|voir|dire|devoir|pouvoir|falloir|croire|perdre|vous dire|te dire)
      (?:je|on|nous|j') ?(?:en viens|viens de|vous demande|te demande|n(?:e |')[^,.]{1,40} (?:pas|plus|rien)|tiens à|fais partie|passe à|me demande|garde en)
      (?:si|que|quand|comment|pourquoi|ce que|qu') ?(?:je|on|nous) [^ ,.]+`,
    habits: "hier|dernière?s?|depuis|toujours|d'habitude|souvent|chaque|tous les|normalement|parfois",
    requests: String.raw`(?:pouvez|pourriez|voulez|voudriez)[- ]vous|vous (?:pouvez|pourriez|voulez)|(?:peux|pourrais|veux)[- ]tu|tu (?:peux|pourrais|veux|nous)
      envoyez|envoie-\p{L}+|merci de|il (?:(?:me|nous|te|vous) )?(?:faut|faudrait)|s'il (?:vous|te) plaît|(?:voulez|veux)[- ](?:vous|tu) que je|vous (?:me|nous) \p{L}+ez`,
    acceptances: `oui|d'accord|bien sûr|entendu|ok|okay|volontiers|avec plaisir|c'est noté|noté|parfait|sans problème|pas de problème|certainement
      absolument|promis|ça marche|je m'en (?:occupe|charge)|tout à fait|très bien|évidemment|c'est (?:fait|promis)|sans faute|vous l'aurez|bien entendu`,
    dates: String.raw`lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain|après-demain|ce soir|d'ici|le (?:\d+|premier)|cette semaine|ce mois-ci
      janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|(?:en|le|\d+|fin) mai|dans (?:\p{L}+|\d+) (?:jours|semaines|mois)
      (?:semaine|mois|année|trimestre|an) (?:prochaine?|suivante?)|(?:fin|début|milieu) (?:de|du) (?:la )?(?:semaine|mois|année|trimestre)|mi-\p{L}+`,
    amounts: String.raw`(?:\d[\d.,\s]{0,12}|\p{L}{3,}) ?(?:euros?|dollars?|livres|francs?|centimes|pour ?cent|won|yens?)|mille|millions?|milliards?
      (?:\d|cents?|(?:\p{L}|-){1,30}(?:te|gt|ix|ze)) (?:par|chaque) (?:mois|an|trimestre|poste)`,
  },
  spanish: {
    frequent: 'el los las y es en que lo no para por está pero muy del al su más como este eso usted yo',
    verbs: `mando|mandamos|envío|enviamos|paso|pasamos|preparo|preparamos|confirmo|confirmamos|aviso|avisamos|llamo|llamamos|escribo|escribimos|reenvío
      comparto|enseño|muestro|doy|damos|hago|hacemos|traigo|traemos|llevo|llevamos|presento|encargo|encargamos|ocupo|ocupamos|comprometo|apunto|anoto
      reviso|revisamos|consulto|pregunto|compruebo|hablo|reservo|reservamos|pido|pedimos|convoco|agendo|quedo|prometo|garantizo|arreglo|cambio|corrijo
      añado|agrego|firmo|pago|busco|verifico|averiguo|coordino|organizo|actualizo|entrego|entregamos|dejo|dejamos|pongo|ponemos|decido|instalo`,
    promises: String.raw`
      (?:te|le|les|os|se|me|nos|lo|la|los|las)(?: (?:lo|la|los|las))? {verb}|voy yo|yo voy|se lo (?:digo|decimos)|(?:voy|vamos) .{0,60}{date}
      (?:^|[,;:.] ?|y |yo |nosotros |entonces |mañana |hoy |pues ){verb} (?:el|la|los|las|un|una|con|a|yo|y|esta|este|eso|al|mañana|en)
      \p{L}+(?:aré|eré|iré|dré|bré)|iré|\p{L}+(?:aremos|eremos|iremos|dremos)|ponemos|firmamos|enviamos|mandamos|instalamos|preparamos
      (?:voy|vamos) a \p{L}+(?:ar|er|ir)\p{L}*|van? a (?:mandar|enviar|pasar|llamar|preparar|confirmar|revisar|escribir|llevar|traer)\p{L}*
      puedo (?:mandar|enviar|pasar|preparar|llamar|hacer|enseñar|reservar|mostrar|revisar|preguntar|traer)\p{L}*|de eso me encargo|corre de mi cuenta
      (?:tendr|recibir)(?:ás?|án|éis) (?:el|la|los|las|un|una|todo|noticias|en)|(?:lo|la|los|las) (?:tienes?|tenéis|tendrás?|tendrán|tendréis)
      quedo en|queda (?:apuntado|anotado|pendiente)|cuent[ae]n? con(?:migo| nosotros)?|prometido|déj[ae]n?me(?:lo)?|(?:estará|estarán|quedará) (?:list[oa]s?|hech[oa]s?|enviad[oa]s?)`,
    exceptions: String.raw`
      (?:se|esta|ve|pod|di|sab|hab|cree|quer|tend)r(?:é|emos)(?: que)?|queremos|creemos|no (?:te |le |les |lo |la |me )*{verb}
      (?:prepar|compar|separ|repar|par|esper|tir|retir|compr|entr|logr|mostr|cobr|encontr|registr)é|(?:me|te|le|se|lo) (?:doy cuenta|cuento|dejo claro|hago así)
      paso a|(?:voy|vamos) a (?:ser|estar|ver|tener|decir\p{L}*|poder|haber|perder)|(?:si|cuando|cómo|qué|dónde|porque|como) (?:te|le|les|lo|la|me)? ?\p{L}+o`,
    habits: 'ayer|pasad[oa]|siempre|normalmente|cada|desde hace|a veces|todos los|todas las|antes',
    requests: `(?:puedes?|pueden|podéis|podrías?|podrían|podríais|podemos)|por favor|necesit(?:o|amos)|quiero que|hace falta|¿(?:quieres?|quieren) que
      (?:mánda|envía|pása|di|haz|llama|avísa)(?:me|nos|melo|noslo)|(?:mánde|envíe|páse|díga|avíse)(?:me|nos)|(?:te|le|les|os) parece|me (?:mandas?|envías?|pasas?|confirmas?)`,
    acceptances: `sí|claro|vale|de acuerdo|por supuesto|perfecto|sin (?:problema|falta)|hecho|ok|okay|cómo no|con (?:mucho )?gusto|encantad[oa]|desde luego
      eso está hecho|trato hecho|bien|muy bien|apuntad[oa]|prometido|no hay problema|lo haré|lo hago|cuent[ae] con|listo|anotado|me encargo|[ts]e l[oa]`,
    dates: String.raw`lunes|martes|miércoles|jueves|viernes|sábado|domingo|pasado mañana|(?:hasta|para|desde) mañana|mañana (?:por|mismo|a|te|le|lo|la|temprano)|^mañana
      (?:semana|mes|año|trimestre) (?:que viene|próxim[oa]|siguiente)|próxim[oa]s? \p{L}+|esta semana|este mes|(?:en|dentro de) (?:\p{L}+|\d+) (?:días|semanas|meses)
      (?:final|finales|fin|principios|mediados|comienzos) del? (?:semana|mes|año|trimestre)|(?:el|día) (?:\d+|uno|dos|tres|cinco|diez|quince|veinte|treinta)
      enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre`,
    amounts: String.raw`(?:\d[\d.,]{0,12}|\p{L}{3,}) (?:euros?|dólares|libras|pesos|céntimos|por ciento|wones|yenes)|mil|millón|millones
      (?:\d|cien\p{L}*|\p{L}+(?:nta|nte|cientos)) (?:al|por|cada) (?:mes|año|trimestre|puesto)`,
  },
  portuguese: {
    frequent: 'o os que é em não um uma para por com eu você está isso do da ao no na mas são muito',
    verbs: `mando|mandamos|envio|enviamos|confirmo|confirmamos|aviso|avisamos|falo|falamos|verifico|verificamos|peço|pedimos|faço|fazemos|preparo|preparamos
      ligo|ligamos|marco|marcamos|agendo|agendamos|trago|trazemos|trato|tratamos|cuido|cuidamos|encarrego|comprometo|passo|passamos|mostro|escrevo|pergunto
      retorno|reservo|reservamos|combino|deixo|deixamos|anoto|levo|levamos|prometo|garanto|arranjo|mudo|corrijo|assino|pago|procuro|reviso|organizo
      atualizo|entrego|entregamos|ponho|coloco|acrescento|incluo|apresento|dou|damos|digo|partilho|compartilho|telefono|tiro|venho|assumo|instalo|decido`,
    promises: String.raw`
      (?:te|lhe|lhes|vos|me|já|isso|também) {verb}|eu (?:já |também |mesm[oa] )?{verb}|{verb}-(?:te|lhe|lhes|vos|o|a|os|as|lho|me)|eu \p{L}+o-(?:te|lhe|o|a|os|as)
      (?:^|[,;:.] ?|e |então |amanhã |hoje |pois ){verb} (?:o|a|os|as|um|uma|com|para|isso|hoje|amanhã|tudo|ainda|até|na|no|aí|lá|em)
      \p{L}+(?:arei|erei|irei)|irei|farei|trarei|\p{L}+(?:aremos|eremos|iremos)|faremos|\p{L}+-(?:lhe|te|vos|lo|la)-(?:ei|emos)
      (?:vou|vamos)(?: (?:te|lhe|lhes|vos|já|lá|também|logo))? \p{L}+(?:ar|er|ir|or)|vou (?:lá|aí|eu|.{0,60}{date})|(?:tu vens|você vem) .{0,60}{date}
      (?:vai|vão) (?:te |lhe |lhes |vos )?(?:mandar|enviar|ligar|preparar|confirmar|falar|escrever|entregar|fazer|trazer|receber)
      a gente (?:manda|envia|faz|liga|confirma|prepara|marca|avisa|entrega|passa|resolve)|(?:receberá|terá|terão) (?:o|a|os|as|um|uma|isso|tudo)
      posso (?:te |lhe |já )?(?:mandar|enviar|passar|preparar|ligar|fazer|mostrar|reservar|marcar|perguntar|trazer)|(?:então|pronto),? fica (?:tudo|assim)
      podem? deixar|deix[ae] (?:comigo|connosco|eu)|fica comigo|cont[ae]m? (?:comigo|connosco|conosco)|combinado|(?:estará|estarão|fica|ficará) (?:pront[oa]s?|feit[oa]s?)`,
    exceptions: String.raw`
      (?:se|esta|ve|pode|di|sabe|te)r(?:ei|emos)(?: que| de)?|queremos|(?:vou|vamos) (?:ser|estar|ver|ter|dizer|poder|precisar|perder|embora|supor)
      (?:prepar|compar|separ|repar|par|esper|tir|retir|compr|entr|mostr|encontr)ei|posso fazer uma (?:coisa|pergunta)|não (?:te |lhe |lhes |me |o |a )*{verb}
      (?:me|te|lhe|eu|já) (?:dou conta|vejo (?:como|que|isso)|digo (?:que|isso)|falo de)|(?:se|quando|como|porque|que|onde) (?:eu |te |lhe |me )?\p{L}+o`,
    habits: String.raw`ontem|passad[oa]|sempre|normalmente|cada|todos os|todas as|às vezes|desde que|costum\p{L}+|há anos`,
    requests: `(?:pode|poderia|podia|podes|podem|podias|consegue|consegues|conseguem|podemos|dá para)|por favor|precis(?:o|amos|ava)|quer(?:o|es|em)? que
      (?:me|nos) (?:manda|envia|passa|liga|avisa|confirma)|(?:manda|envia|mande|envie|avisa|avise|diga|liga)-(?:me|nos)`,
    acceptances: `sim|claro|com certeza|pode deixar|combinado|tá bom|tá|está bem|ok|okay|perfeito|certo|sem (?:problema|falta)|feito|beleza|de acordo
      com (?:todo o |muito )?(?:prazer|gosto)|fechado|pode ser|(?:eu )?(?:mando|envio|faço)|deixa comigo|anotado|prometo|prometido|muito bem|ótimo|pode contar`,
    dates: String.raw`(?:segunda|terça|quarta|quinta|sexta)-feira|(?:na|até|à|para|próxima|nesta|esta) (?:segunda|terça|quarta|quinta|sexta)|sábado|domingo|amanhã
      (?:semana|mês|ano|trimestre) (?:que vem|próxim[oa]|seguinte)|próxim[oa]s? \p{L}+|(?:esta|nesta|essa) semana|(?:este|neste) mês|dia (?:\d+|\p{L}+)
      (?:final|fim|início|meados|começo) d[eoa] (?:semana|mês|ano|trimestre|dia)|(?:em|daqui a|dentro de) (?:\p{L}+|\d+) (?:dias|semanas|meses)
      janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro`,
    amounts: String.raw`(?:\d[\d.,]{0,12}|\p{L}{3,}) (?:euros?|dólares|libras|reais|cêntimos|centavos|por cento|wons|ienes)|mil|milhão|milhões
      (?:\d|cem|cento|\p{L}+(?:nta|nte|centos|is)) (?:ao|por|cada) (?:mês|ano|trimestre|posto)`,
  },
  korean: {
    frequent: '',
    verbs: `보내|전달|공유|확인|준비|연락|전화|작성|정리|검토|수정|예약|알려|알아|물어|문의|추가|제출|처리|발송|회신|답변|답장|안내|챙기|챙겨
      가져|맞추|맞춰|만들|고치|고쳐|올려|올리|말씀|요청|진행|반영|업데이트|잡아|잡|써|쓰|찾아|갖다|드리|드려`,
    promises: `
      [가-힣](?<![이그저에한떻것])게요(?![가-힣])|[할릴낼볼갈올줄둘쓸울칠길뵐킬들을]게(?=[.!, ]|$)|[가-힣]께요|(?:드리|두|보내|그렇게 하|제가 하)죠(?=[.!])|야겠(?:네요|습니다|어요)
      겠습니다|겠어요(?=[.!, ]|$)|기로 (?:하죠|할게|하겠|약속)|[할볼갈올줄둘쓸칠릴낼을킬길들] (?:거예요|겁니다|예정입니다|예정이에요)(?=[.!]|$)
      (?:{verb})[가-힣 ]{0,6}[할릴낼볼길갈올을들칠줄둘출] (?:거고|거니까|계획|생각)|(?:{verb})[가-힣 ]{0,5}드릴 수 있
      (?:{verb})[가-힣]? ?드립니다|약속(?:드|합|할|하)|맡겨 ?주|제가 (?:맡죠|맡을|책임)|책임지고`,
    exceptions: `
      (?:알|모르|좋|되|있|없|싶|힘들|맞|그렇|감사하|시작하|마치|말씀드리|설명드리|소개하|소개드리|부탁드리|여쭤보|어렵|쉽|많|같|낫|괜찮)겠(?:습니다|어요)
      시작할[게까]요|(?:말씀|제안|설명|소개|부탁)드릴게요|여쭤볼게요|기다릴게요|시겠습니다|[가-힣]실 (?:거예요|겁니다)|(?:필요|가능|좋아|비슷|충분)할 (?:거예요|겁니다)`,
    habits: '아마|보통|항상|매일|매주|매달|어제|지난',
    requests: `주세요|주십시오|주시겠|주실|주시면|줄래|부탁|할까요|드릴까요|볼까요|잡을까요|낼까요|될까요|가능할까요|가능하실까요|줘요?(?=[.?]|$)|필요|했으면|시면 (?:돼|됩)|셔야`,
    acceptances: `네|예|넵|알겠|그럼요|물론|좋습니다|좋아요|그럴게|그렇게|그러죠|그래요|응|오케이|당연|그러겠|바로|문제없`,
    dates: String.raw`\d[월일]|[일이삼사오유칠팔구시십]월|[월화수목금토일]요일|내일|모레|(?:다음|이번|다다음) ?(?:주|달|분기|해)|[주월연]말|분기|내년|이달|오늘 (?:중|안)|(?:며칠|\d+주|한 달|일주일) (?:뒤|후|안|내)`,
    amounts: String.raw`[\d일이삼사오육칠팔구십백천만억][\d,. 십백천만억]{0,12}(?:원|달러|유로|파운드|엔|퍼센트|프로)(?![가-힣]{3})|[\d백천] ?[만억]`,
  },
  japanese: {
    frequent: '',
    verbs: `送り|(?:送付|連絡|確認|共有|手配|準備|用意|作成|返事|回答|提出|修正|対応|検討|電話|予約|追加|案内|紹介|メール|相談|変更|約束|設置|設定|交換|お送り|お持ち|お届け|お伝え|お見せ|お知らせ)し
      伝え|調べ|作り|直し|出し|入れ|書き|やり|伺い|参り|まいり|まとめ|持って(?:い|行)き|持ってき|押さえ|届け|引き受け|付け|早め|続け|変え|替え|決め|止め|渡し|返し|下げ|上げ|減らし|増やし|外し|移し`,
    promises: `
      [てで]おきます|[てで]おく(?:ね|よ|から|。)|させていただきます|させてもらいます|(?:{verb})(?:ます|とく)(?!か)|(?<!お願い|失礼|感謝|お待ち)いたします|差し上げます
      (?:送|連絡|確認|準備|共有|用意|調べ|対応|提出|作|出).{0,4}(?:予定です|つもりです)|[ろそこよ]うと思い|任せください|任せてください|[てで]みます(?!か)|しますね
      私がやり|お約束|^では.{1,12}で。|[^、。]ましょう(?!か)|(?:出|送|作|直|試)[そろ]う(?=。)`,
    exceptions: `お願い(?:いた)?します|失礼(?:いた)?します|と?申します|始めさせていただきます|ご説明(?:いた)?します|と(?:思い|考え)いたします|ます(?:と|なら|時|とき|前)|お?待ち
      (?:始め|進み|進め|終わり|戻り|見てみ|考え)ましょう|画面を(?:見せて|共有)`,
    habits: '毎[日週月回年朝]|いつも|普段|通常|たいてい|ふだん|昨日|先[週月]',
    requests: `[てで](?:いただけ|いただき|くださ|下さ|もらえ|もらい|ほし|くれ)|お願い(?:でき|したい)|[おご][^、。]{1,8}(?:ください|いただけ)|ましょうか|でしょうか|いいですか`,
    acceptances: `はい|承知|かしこまり|了解|わかりました|分かりました|もちろん|いいですよ|ええ|やります|大丈夫|喜んで|そうします|そうしましょう|できます|可能です|ぜひ|お願いします|すぐ`,
    dates: String.raw`[\d一二三四五六七八九十]月(?!間)|[\d二三四五六七八九十]日(?!間)|[月火水木金土日]曜|明日|あさって|明後日|翌[日週月]|(?:さ|再)?来[週月年]|今[週月]|[月年期週]末|週明け|年度末|今日中|本日中|四半期`,
    amounts: String.raw`[\d〇一二三四五六七八九十百千万億][\d,.〇一二三四五六七八九十百千万億]{0,12} ?(?:円|ドル|ユーロ|ポンド|ウォン|パーセント|％|%|割)
      [\d一二三四五六七八九十百]{1,12}[千万億][一二三四五六七八九十百千]{0,8}(?!年|人|点)|[年月]額?[一二三四五六七八九]?[百千]`,
  },
} satisfies Record<string, CommitmentWords>;
export type SpokenLanguage = keyof typeof commitmentWords;

/** Words of at least five letters that say nothing about a deal. */
export const commonWords =
  `about after again before being below could eight eleven every first great might never other others second seven
  shall should since still their there these thing things think third those three through today tomorrow twelve
  under until where which while whose would aller alles andere damit diese diesem diesen dieser dieses durch einem
  einen einer eines gegen haben ihnen ihrem ihren ihrer keine können machen nicht sollen unser unsere unseren unter
  wegen welche werden wieder wollen zwischen alors après aussi autre avant avoir celle cette comme depuis encore
  entre faire leurs moins notre pendant quand quelle toujours toutes votre antes cuando desde después donde
  entonces entre estos hacer hasta mismo mucho nuestra nuestro otros porque puede según sobre tiene todos también
  depois então fazer mesmo muito nossa nosso outro também`.split(/\s+/);
