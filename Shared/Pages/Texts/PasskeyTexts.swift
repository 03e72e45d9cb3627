package import Vocabulary

extension PageTexts {
    /// What the account page says about a passkey, besides its dates.
    package struct Passkeys: Sendable {
        /// In place of the mark of a synchronized one.
        package var oneDevice: String
        package var neverUsed: String
    }
}

extension Language {
    package var passkeyTexts: PageTexts.Passkeys {
        switch self {
        case .english: .init(oneDevice: "On one device only", neverUsed: "Never used to sign in")
        case .german: .init(oneDevice: "Nur auf einem Gerät", neverUsed: "Noch nie zur Anmeldung benutzt")
        case .french: .init(oneDevice: "Sur un seul appareil", neverUsed: "Jamais utilisée pour se connecter")
        case .spanish: .init(oneDevice: "Solo en un dispositivo", neverUsed: "Nunca se ha usado para iniciar sesión")
        case .japanese: .init(oneDevice: "1 台のデバイスのみ", neverUsed: "ログインに使用したことはありません")
        case .korean: .init(oneDevice: "한 기기에만 있음", neverUsed: "로그인에 사용한 적 없음")
        case .thai: .init(oneDevice: "อยู่ในอุปกรณ์เดียว", neverUsed: "ยังไม่เคยใช้ลงชื่อเข้าใช้")
        case .arabic: .init(oneDevice: "على جهاز واحد فقط", neverUsed: "لم يُستخدم لتسجيل الدخول بعد")
        }
    }
}
