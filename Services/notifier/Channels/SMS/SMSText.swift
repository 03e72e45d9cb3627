import Contracts
import Vocabulary

/// What a text message says: the project's own text or ours in the recipient's language, and as its last line the host
/// that the code is for, by which browsers fill it in (the "origin-bound one-time codes" of WICG; security rule SM12).
struct SMSText: Equatable, Sendable {
    enum Encoding: Equatable, Sendable {
        /// The alphabet of GSM 03.38: 160 characters in one message.
        case gsm7
        /// Everything else: 70 units of UTF-16 in one message.
        case ucs2
    }

    let body: String

    /// Longer names are cut.
    static let maximumNameLength = 40
    /// Shorter ones tell nothing any more.
    private static let shortestName = 8

    init(_ request: Notifier.SendSMS) {
        let code = request.code.reveal()
        let template =
            request.template ?? Language.find(request.locale, default: request.defaultLocale).smsText
        let lastLine = request.originDomain.map { "\n@\($0) #\(code)" } ?? ""
        func body(_ nameLength: Int) -> String {
            // A code is digits, and a name is filled in last: what it holds is not read again.
            template.replacing("%LOGIN_CODE%", with: code)
                .replacing("%APP_NAME%", with: Self.name(request.appName, nameLength)) + lastLine
        }
        // Each further message costs as much as the first: rather a shorter name.
        var length = Self.maximumNameLength
        while length > Self.shortestName, Self.segmentCount(of: body(length)) > 1 { length -= 4 }
        let short = body(length)
        self.body = Self.segmentCount(of: short) == 1 ? short : body(Self.maximumNameLength)
    }

    var encoding: Encoding { Self.encoding(of: body) }

    /// One line without controls and without what could be taken for the last line or a link.
    private static func name(_ text: String, _ length: Int) -> String {
        let line = text.unicodeScalars.map { scalar in
            scalar.isControlOfHeaders || scalar == "@" || scalar == "#" ? " " : Character(scalar)
        }
        return String(String(line).replacing("://", with: " ").prefix(length))
    }

    // MARK: Length

    static func encoding(of text: String) -> Encoding {
        text.unicodeScalars.allSatisfy { basic.contains($0) || extended.contains($0) } ? .gsm7 : .ucs2
    }

    /// How many messages a text takes (3GPP TS 23.040: the parts of a longer one have a header each).
    static func segmentCount(of text: String) -> Int {
        let (units, alone, part) =
            switch encoding(of: text) {
            case .gsm7: (text.unicodeScalars.reduce(0) { $0 + (extended.contains($1) ? 2 : 1) }, 160, 153)
            case .ucs2: (text.utf16.count, 70, 67)
            }
        return units <= alone ? 1 : (units + part - 1) / part
    }

    /// The default alphabet of GSM 03.38 (3GPP TS 23.038, 6.2.1).
    private static let basic = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
            + "abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    /// What takes two places of it.
    private static let extended = Set("^{}\\[~]|€\u{c}".unicodeScalars)
}

extension Language {
    /// The text that is shipped, in letters of GSM 03.38 where the language can do without others.
    var smsText: String {
        switch self {
        case .english: "%APP_NAME%: %LOGIN_CODE% is your code. Do not share it."
        case .spanish: "%APP_NAME%: %LOGIN_CODE% es tu clave. No la compartas."
        case .korean: "%APP_NAME%: 인증번호 %LOGIN_CODE%. 다른 사람에게 알려주지 마세요."
        case .thai: "%APP_NAME%: รหัสของคุณคือ %LOGIN_CODE% ห้ามบอกผู้อื่น"
        case .german: "%APP_NAME%: %LOGIN_CODE% ist dein Code. Gib ihn nicht weiter."
        case .french: "%APP_NAME% : %LOGIN_CODE% est votre code. Ne le partagez pas."
        case .japanese: "%APP_NAME%: 認証コードは %LOGIN_CODE% です。誰にも教えないでください。"
        case .arabic: "%APP_NAME%: رمزك هو %LOGIN_CODE%. لا تشاركه مع أحد."
        }
    }
}
