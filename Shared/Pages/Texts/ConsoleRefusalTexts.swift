import Vocabulary

extension PageTexts {
    /// What the console says when a service refuses a request. The detail of a service, which is English, stands behind it.
    package struct ConsoleRefusals: TranslatedTexts, Sendable {
        /// A value of a form breaks a rule.
        package var invalidValue: String
        package var missingValue: String
        /// Something with this name or value exists.
        package var exists: String
        /// It does not exist any more.
        package var gone: String
        /// There are as many as possible.
        package var tooMany: String
        /// Others were quicker.
        package var conflict: String
        package var notPermitted: String
        /// The state of the account or the project does not allow it.
        package var wrongState: String
        /// Limits of attempts, messages and requests.
        package var limited: String
        package var unavailable: String
        /// An identity provider or another server outside.
        package var otherServer: String
        /// The session of the operator.
        package var signInAgain: String
        package var unexpected: String
        /// Before the detail of a service.
        package var detail: @Sendable (String) -> String
    }
}

extension Language {
    package var consoleRefusalTexts: PageTexts.ConsoleRefusals { texts() }
}

extension PageTexts.ConsoleRefusals {
    static let english = Self(
        invalidValue: "A value is not accepted.",
        missingValue: "A value is missing.",
        exists: "There is one already.",
        gone: "It does not exist any more.",
        tooMany: "There are as many as possible already. Remove one first.",
        conflict: "Others changed it meanwhile. Look at it again.",
        notPermitted: "The settings do not permit it.",
        wrongState: "It is not possible in the present state.",
        limited: "A limit was reached. Try again later.",
        unavailable: "A service is away. Try again in a moment.",
        otherServer: "Another server refused it or did not answer.",
        signInAgain: "The session has ended. Sign in again.",
        unexpected: "An unexpected error happened. The log of the service has the reason.",
        detail: { "The service says: \($0)" })

    static let german = Self(
        invalidValue: "Ein Wert wird nicht angenommen.",
        missingValue: "Ein Wert fehlt.",
        exists: "Das gibt es schon.",
        gone: "Das gibt es nicht mehr.",
        tooMany: "Es sind schon so viele wie möglich. Entfernen Sie zuerst eines.",
        conflict: "Andere haben es inzwischen geändert. Sehen Sie es noch einmal an.",
        notPermitted: "Die Einstellungen erlauben es nicht.",
        wrongState: "Im jetzigen Zustand ist es nicht möglich.",
        limited: "Eine Grenze ist erreicht. Versuchen Sie es später noch einmal.",
        unavailable: "Ein Dienst fehlt gerade. Versuchen Sie es gleich noch einmal.",
        otherServer: "Ein anderer Server hat es abgelehnt oder nicht geantwortet.",
        signInAgain: "Die Sitzung ist beendet. Melden Sie sich neu an.",
        unexpected: "Ein unerwarteter Fehler ist aufgetreten. Das Protokoll des Dienstes nennt den Grund.",
        detail: { "Der Dienst sagt: \($0)" })

    static let french = Self(
        invalidValue: "Une valeur n’est pas acceptée.",
        missingValue: "Une valeur manque.",
        exists: "Il en existe déjà un.",
        gone: "Cela n’existe plus.",
        tooMany: "Il y en a déjà autant que possible. Retirez-en un d’abord.",
        conflict: "D’autres l’ont modifié entre-temps. Regardez de nouveau.",
        notPermitted: "Les réglages ne le permettent pas.",
        wrongState: "Ce n’est pas possible dans l’état actuel.",
        limited: "Une limite est atteinte. Réessayez plus tard.",
        unavailable: "Un service est absent. Réessayez dans un instant.",
        otherServer: "Un autre serveur l’a refusé ou n’a pas répondu.",
        signInAgain: "La session est terminée. Connectez-vous de nouveau.",
        unexpected: "Une erreur inattendue s’est produite. Le journal du service en donne la raison.",
        detail: { "Le service dit : \($0)" })

    static let spanish = Self(
        invalidValue: "No se acepta un valor.",
        missingValue: "Falta un valor.",
        exists: "Ya existe uno.",
        gone: "Ya no existe.",
        tooMany: "Ya hay tantos como es posible. Quite uno primero.",
        conflict: "Otros lo han cambiado mientras tanto. Mírelo de nuevo.",
        notPermitted: "Los ajustes no lo permiten.",
        wrongState: "No es posible en el estado actual.",
        limited: "Se ha alcanzado un límite. Inténtelo más tarde.",
        unavailable: "Falta un servicio. Inténtelo de nuevo en un momento.",
        otherServer: "Otro servidor lo rechazó o no respondió.",
        signInAgain: "La sesión ha terminado. Inicie sesión de nuevo.",
        unexpected: "Se produjo un error inesperado. El registro del servicio tiene la causa.",
        detail: { "El servicio dice: \($0)" })

    static let japanese = Self(
        invalidValue: "受け付けられない値があります。",
        missingValue: "値が足りません。",
        exists: "すでに存在します。",
        gone: "もう存在しません。",
        tooMany: "すでに上限の数があります。先に一つ削除してください。",
        conflict: "ほかの人が変更しました。もう一度確認してください。",
        notPermitted: "設定で許可されていません。",
        wrongState: "今の状態ではできません。",
        limited: "上限に達しました。後でもう一度お試しください。",
        unavailable: "サービスが応答していません。少し待ってからお試しください。",
        otherServer: "ほかのサーバーが拒否したか、応答しませんでした。",
        signInAgain: "セッションが終了しました。もう一度ログインしてください。",
        unexpected: "予期しないエラーが起きました。理由はサービスのログにあります。",
        detail: { "サービスの説明: \($0)" })

    static let korean = Self(
        invalidValue: "받아들일 수 없는 값이 있습니다.",
        missingValue: "값이 빠졌습니다.",
        exists: "이미 있습니다.",
        gone: "더 이상 없습니다.",
        tooMany: "이미 가능한 만큼 있습니다. 먼저 하나를 삭제하세요.",
        conflict: "그 사이 다른 사람이 변경했습니다. 다시 확인하세요.",
        notPermitted: "설정에서 허용하지 않습니다.",
        wrongState: "지금 상태에서는 할 수 없습니다.",
        limited: "한도에 도달했습니다. 나중에 다시 시도하세요.",
        unavailable: "서비스가 응답하지 않습니다. 잠시 후 다시 시도하세요.",
        otherServer: "다른 서버가 거부했거나 응답하지 않았습니다.",
        signInAgain: "세션이 끝났습니다. 다시 로그인하세요.",
        unexpected: "예기치 않은 오류가 발생했습니다. 이유는 서비스 로그에 있습니다.",
        detail: { "서비스의 설명: \($0)" })

    static let thai = Self(
        invalidValue: "มีค่าที่ไม่ยอมรับ",
        missingValue: "ขาดค่าหนึ่ง",
        exists: "มีอยู่แล้ว",
        gone: "ไม่มีอยู่แล้ว",
        tooMany: "มีครบจำนวนแล้ว โปรดลบออกหนึ่งรายการก่อน",
        conflict: "มีผู้อื่นเปลี่ยนแปลงแล้ว โปรดดูอีกครั้ง",
        notPermitted: "การตั้งค่าไม่อนุญาต",
        wrongState: "ทำไม่ได้ในสถานะปัจจุบัน",
        limited: "ถึงขีดจำกัดแล้ว โปรดลองใหม่ภายหลัง",
        unavailable: "บริการหนึ่งไม่ตอบสนอง โปรดลองใหม่อีกสักครู่",
        otherServer: "เซิร์ฟเวอร์อื่นปฏิเสธหรือไม่ตอบ",
        signInAgain: "เซสชันสิ้นสุดแล้ว โปรดลงชื่อเข้าใช้อีกครั้ง",
        unexpected: "เกิดข้อผิดพลาดที่ไม่คาดคิด บันทึกของบริการมีสาเหตุ",
        detail: { "บริการแจ้งว่า: \($0)" })

    static let arabic = Self(
        invalidValue: "قيمة غير مقبولة.",
        missingValue: "قيمة ناقصة.",
        exists: "هذا موجود من قبل.",
        gone: "لم يعد موجودًا.",
        tooMany: "بلغ العدد أقصاه. أزل واحدًا أولًا.",
        conflict: "غيّره آخرون في هذه الأثناء. انظر إليه من جديد.",
        notPermitted: "الإعدادات لا تسمح بذلك.",
        wrongState: "هذا غير ممكن في الحالة الراهنة.",
        limited: "بلغتَ حدًّا. حاول لاحقًا.",
        unavailable: "إحدى الخدمات غائبة. حاول بعد لحظة.",
        otherServer: "رفضه خادم آخر أو لم يُجب.",
        signInAgain: "انتهت الجلسة. ادخل من جديد.",
        unexpected: "حدث خطأ غير متوقع. السبب في سجل الخدمة.",
        detail: { "تقول الخدمة: \($0)" })
}
