package import Vocabulary

extension PageTexts {
    /// Devices that are not asked for the second step.
    package struct RememberedDevices: TranslatedTexts, Sendable {
        /// Beside the box at the second step, with the number of days.
        package var remember: @Sendable (Int) -> String
        package var hint: String
        /// Heading of the list on the account page.
        package var list: String
        package var about: String
        /// With a date.
        package var until: @Sendable (String) -> String
        package var forget: String
    }
}

extension Language {
    package var rememberedDeviceTexts: PageTexts.RememberedDevices { texts() }
}

extension PageTexts.RememberedDevices {
    static let english = Self(
        remember: { "Remember this device for \($0) \($0 == 1 ? "day" : "days")" },
        hint: "Only on a device that nobody else uses.",
        list: "Devices without a second step",
        about: "When you sign in on these devices, you are not asked for the second step.",
        until: { "Until \($0)" },
        forget: "Ask again")

    static let german = Self(
        remember: { "Dieses Gerät \($0) \($0 == 1 ? "Tag" : "Tage") lang merken" },
        hint: "Nur auf einem Gerät, das sonst niemand benutzt.",
        list: "Geräte ohne zweiten Schritt",
        about: "Wenn Sie sich auf diesen Geräten anmelden, werden Sie nicht nach dem zweiten Schritt gefragt.",
        until: { "Bis \($0)" },
        forget: "Wieder fragen")

    static let french = Self(
        remember: { "Se souvenir de cet appareil pendant \($0) \($0 == 1 ? "jour" : "jours")" },
        hint: "Uniquement sur un appareil que vous êtes seul à utiliser.",
        list: "Appareils sans seconde étape",
        about: "Quand vous vous connectez sur ces appareils, la seconde étape ne vous est pas demandée.",
        until: { "Jusqu’au \($0)" },
        forget: "Demander à nouveau")

    static let spanish = Self(
        remember: { "Recordar este dispositivo durante \($0) \($0 == 1 ? "día" : "días")" },
        hint: "Solo en un dispositivo que no use nadie más.",
        list: "Dispositivos sin segundo paso",
        about: "Al iniciar sesión en estos dispositivos no se te pide el segundo paso.",
        until: { "Hasta el \($0)" },
        forget: "Volver a pedirlo")

    static let japanese = Self(
        remember: { "このデバイスを\($0)日間記憶する" },
        hint: "ほかの人が使わないデバイスでのみ選んでください。",
        list: "2 段階目の確認を省くデバイス",
        about: "これらのデバイスでログインするときは、2 段階目の確認を求められません。",
        until: { "\($0)まで" },
        forget: "もう一度確認する")

    static let korean = Self(
        remember: { "이 기기를 \($0)일 동안 기억하기" },
        hint: "다른 사람이 사용하지 않는 기기에서만 선택하세요.",
        list: "2단계 확인을 생략하는 기기",
        about: "이 기기에서 로그인할 때는 2단계 확인을 요청하지 않습니다.",
        until: { "\($0)까지" },
        forget: "다시 요청하기")

    static let thai = Self(
        remember: { "จดจำอุปกรณ์นี้เป็นเวลา \($0) วัน" },
        hint: "เลือกเฉพาะบนอุปกรณ์ที่ไม่มีผู้อื่นใช้",
        list: "อุปกรณ์ที่ไม่ต้องยืนยันขั้นที่สอง",
        about: "เมื่อคุณลงชื่อเข้าใช้บนอุปกรณ์เหล่านี้ จะไม่มีการขอให้ยืนยันขั้นที่สอง",
        until: { "จนถึง \($0)" },
        forget: "ขอให้ยืนยันอีกครั้ง")

    static let arabic = Self(
        remember: { "تذكّر هذا الجهاز لمدة \(ArabicCount.days($0))" },
        hint: "فقط على جهاز لا يستخدمه أحد غيرك.",
        list: "أجهزة بلا خطوة ثانية",
        about: "عند تسجيل الدخول على هذه الأجهزة لن تُطلب منك الخطوة الثانية.",
        until: { "حتى \($0)" },
        forget: "طلبها مجددًا")
}
