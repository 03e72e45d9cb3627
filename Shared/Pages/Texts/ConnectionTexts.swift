import Vocabulary

extension PageTexts {
    /// The accounts of identity providers on the account page.
    package struct Connections: TranslatedTexts, Sendable {
        package var connect: String
        /// Heading of the providers that can be connected.
        package var connectAnother: String
        /// The identity belongs to another account.
        package var identityTaken: String
        /// Another account has the address of the identity.
        package var addressTaken: String
        /// The account of the browser has changed while its user was at the provider.
        package var otherUser: String
    }
}

extension Language {
    package var connectionTexts: PageTexts.Connections { texts() }
}

extension PageTexts.Connections {
    static let english = PageTexts.Connections(
        connect: "Connect",
        connectAnother: "Connect another account",
        identityTaken:
            "This account is connected to another user here. Sign in as that user and disconnect it there first.",
        addressTaken: "Another user here has the e-mail address of this account. Sign in as that user to connect it.",
        otherUser: "Somebody else has signed in here in the meantime. Nothing was connected.")

    static let spanish = PageTexts.Connections(
        connect: "Conectar",
        connectAnother: "Conectar otra cuenta",
        identityTaken:
            "Esta cuenta está conectada con otro usuario. Inicia sesión como ese usuario y desconéctala allí primero.",
        addressTaken:
            "Otro usuario tiene el correo electrónico de esta cuenta. Inicia sesión como ese usuario para conectarla.",
        otherUser: "Entretanto ha iniciado sesión otra persona. No se ha conectado nada.")

    static let korean = PageTexts.Connections(
        connect: "연결",
        connectAnother: "다른 계정 연결",
        identityTaken: "이 계정은 다른 사용자와 연결되어 있습니다. 먼저 그 사용자로 로그인하여 연결을 해제해 주세요.",
        addressTaken: "이 계정의 이메일 주소를 다른 사용자가 쓰고 있습니다. 연결하려면 그 사용자로 로그인해 주세요.",
        otherUser: "그 사이에 다른 사람이 로그인했습니다. 아무것도 연결되지 않았습니다.")

    static let thai = PageTexts.Connections(
        connect: "เชื่อมต่อ",
        connectAnother: "เชื่อมต่อบัญชีอื่น",
        identityTaken: "บัญชีนี้เชื่อมต่อกับผู้ใช้อื่นอยู่ โปรดลงชื่อเข้าใช้เป็นผู้ใช้นั้นและยกเลิกการเชื่อมต่อก่อน",
        addressTaken: "ผู้ใช้อื่นใช้ที่อยู่อีเมลของบัญชีนี้อยู่ โปรดลงชื่อเข้าใช้เป็นผู้ใช้นั้นเพื่อเชื่อมต่อ",
        otherUser: "มีผู้อื่นลงชื่อเข้าใช้ที่นี่ในระหว่างนั้น จึงไม่มีการเชื่อมต่อใด ๆ")

    static let german = PageTexts.Connections(
        connect: "Verbinden",
        connectAnother: "Weiteres Konto verbinden",
        identityTaken:
            "Dieses Konto ist hier mit einer anderen Person verbunden. Melden Sie sich als diese Person an und trennen Sie es dort zuerst.",
        addressTaken:
            "Jemand anderes hat hier die E-Mail-Adresse dieses Kontos. Melden Sie sich als diese Person an, um es zu verbinden.",
        otherUser: "In der Zwischenzeit hat sich hier jemand anderes angemeldet. Es wurde nichts verbunden.")

    static let french = PageTexts.Connections(
        connect: "Connecter",
        connectAnother: "Connecter un autre compte",
        identityTaken:
            "Ce compte est connecté à un autre utilisateur. Connectez-vous d’abord en tant que cet utilisateur et déconnectez-le.",
        addressTaken:
            "Un autre utilisateur a l’adresse e-mail de ce compte. Connectez-vous en tant que cet utilisateur pour le connecter.",
        otherUser: "Entre-temps, une autre personne s’est connectée ici. Rien n’a été connecté.")

    static let japanese = PageTexts.Connections(
        connect: "接続",
        connectAnother: "ほかのアカウントを接続",
        identityTaken: "このアカウントは別のユーザーに接続されています。まずそのユーザーとしてログインし、接続を解除してください。",
        addressTaken: "このアカウントのメールアドレスは別のユーザーが使っています。接続するには、そのユーザーとしてログインしてください。",
        otherUser: "その間に別の人がログインしました。何も接続されていません。")

    static let arabic = PageTexts.Connections(
        connect: "ربط",
        connectAnother: "ربط حساب آخر",
        identityTaken: "هذا الحساب مرتبط بمستخدم آخر هنا. سجّل الدخول بحساب ذلك المستخدم وافصله هناك أولًا.",
        addressTaken: "لمستخدم آخر هنا عنوان البريد الإلكتروني لهذا الحساب. سجّل الدخول بحساب ذلك المستخدم لربطه.",
        otherUser: "سجّل شخص آخر الدخول هنا في هذه الأثناء. لم يُربط أي شيء.")
}
