internal import Contracts
internal import Vocabulary

extension EmailLanguage {
    static let thai = EmailLanguage(
        language: .thai,
        greeting: "สวัสดีคุณ %DISPLAY_NAME%",
        genericGreeting: "สวัสดี",
        linkHint: "หากปุ่มใช้งานไม่ได้ ให้คัดลอกที่อยู่นี้ไปวางในเบราว์เซอร์ของคุณ",
        farewell: "ทีม %APP_NAME%",
        genericFactorName: "ปัจจัยยืนยันตัวตนขั้นที่สอง",
        hiddenPasskeyName: "ไม่แสดง"
    ) { purpose in
        switch purpose {
        case .verifyEmail:
            EmailText(
                subject: "ยืนยันอีเมลของคุณสำหรับ %APP_NAME%",
                lead: "เปิดลิงก์นี้เพื่อยืนยันที่อยู่อีเมล %EMAIL% ของคุณ",
                button: "ยืนยันที่อยู่อีเมล",
                closing: "หากคุณไม่ได้ขอยืนยันที่อยู่นี้ คุณไม่ต้องสนใจอีเมลฉบับนี้")
        case .resetPassword:
            EmailText(
                subject: "รีเซ็ตรหัสผ่านของคุณสำหรับ %APP_NAME%",
                lead: "เปิดลิงก์นี้เพื่อรีเซ็ตรหัสผ่าน %APP_NAME% ของบัญชี %EMAIL%",
                button: "รีเซ็ตรหัสผ่าน",
                closing: "หากคุณไม่ได้ขอรีเซ็ตรหัสผ่าน คุณไม่ต้องสนใจอีเมลฉบับนี้")
        case .emailSignIn:
            EmailText(
                subject: "ลงชื่อเข้าใช้ %APP_NAME%",
                lead: "เราได้รับคำขอลงชื่อเข้าใช้ %APP_NAME% ด้วยที่อยู่ %EMAIL% เปิดลิงก์นี้เพื่อลงชื่อเข้าใช้",
                button: "ลงชื่อเข้าใช้",
                closing: "ผู้ที่มีลิงก์นี้สามารถลงชื่อเข้าใช้ในชื่อของคุณได้ โปรดอย่าส่งต่ออีเมลฉบับนี้ "
                    + "หากคุณไม่ได้ขอ คุณไม่ต้องสนใจอีเมลฉบับนี้")
        case .verifyAndChangeEmail:
            EmailText(
                subject: "ยืนยันอีเมลใหม่ของคุณสำหรับ %APP_NAME%",
                lead: "เปิดลิงก์นี้เพื่อลงชื่อเข้าใช้ด้วย %NEW_EMAIL% ตั้งแต่นี้เป็นต้นไป",
                button: "ยืนยันที่อยู่ใหม่",
                closing: "หากคุณไม่ได้ขอเปลี่ยนที่อยู่อีเมล คุณไม่ต้องสนใจอีเมลฉบับนี้")
        case .emailChanged:
            EmailText(
                subject: "อีเมลลงชื่อเข้าใช้ %APP_NAME% ของคุณถูกเปลี่ยนแล้ว",
                lead: "ที่อยู่อีเมลที่คุณใช้ลงชื่อเข้าใช้ถูกเปลี่ยนเป็น %NEW_EMAIL%",
                securityAdvice: "หากไม่ใช่คุณ ให้เปิดลิงก์นี้เพื่อยกเลิกการเปลี่ยนแปลง",
                button: "ยกเลิกการเปลี่ยนแปลง",
                closing: "หากไม่ใช่คุณ โปรดติดต่อทีม %APP_NAME% ทันที")
        case .emailRemoved:
            EmailText(
                subject: "อีเมลลงชื่อเข้าใช้ %APP_NAME% ของคุณถูกนำออกแล้ว",
                lead: "ที่อยู่อีเมล %EMAIL% ถูกนำออกจากบัญชีของคุณ และใช้ลงชื่อเข้าใช้ไม่ได้อีกแล้ว",
                securityAdvice: "หากไม่ใช่คุณ ให้เปิดลิงก์นี้เพื่อยกเลิกการเปลี่ยนแปลง",
                button: "ยกเลิกการเปลี่ยนแปลง",
                closing: "หากไม่ใช่คุณ โปรดติดต่อทีม %APP_NAME% ทันที")
        case .secondFactorAdded:
            EmailText(
                subject: "เพิ่มการยืนยันแบบ 2 ขั้นตอนในบัญชี %APP_NAME% ของคุณแล้ว",
                lead: "ตอนนี้บัญชี %EMAIL% ของคุณต้องใช้ปัจจัยขั้นที่สอง: %SECOND_FACTOR%",
                securityAdvice: "หากไม่ใช่คุณ ให้เปิดลิงก์นี้เพื่อนำออก",
                button: "นำปัจจัยขั้นที่สองออก",
                closing: "หากไม่ใช่คุณ โปรดรีเซ็ตรหัสผ่านทันที")
        case .secondFactorRemoved:
            EmailText(
                subject: "ปัจจัยขั้นที่สองถูกนำออกจากบัญชี %APP_NAME% ของคุณแล้ว",
                lead: "บัญชี %EMAIL% ของคุณไม่ต้องใช้ปัจจัยขั้นที่สองนี้อีกต่อไป: %SECOND_FACTOR%",
                securityAdvice: "หากไม่ใช่คุณ ให้เปิดลิงก์นี้เพื่อรักษาความปลอดภัยบัญชีของคุณ",
                button: "รักษาความปลอดภัยบัญชี",
                closing: "หากไม่ใช่คุณ โปรดรีเซ็ตรหัสผ่านทันที")
        case .passwordChanged:
            EmailText(
                subject: "รหัสผ่าน %APP_NAME% ของคุณถูกเปลี่ยนแล้ว",
                lead: "รหัสผ่านของบัญชี %EMAIL% ถูกเปลี่ยนแล้ว",
                securityAdvice: "หากไม่ใช่คุณ ให้เปิดลิงก์นี้เพื่อตั้งรหัสผ่านใหม่",
                button: "รีเซ็ตรหัสผ่าน",
                closing: "หากไม่ใช่คุณ โปรดรีเซ็ตรหัสผ่านทันที")
        case .recoveryCodeUsed:
            EmailText(
                subject: "มีการใช้รหัสกู้คืนกับบัญชี %APP_NAME% ของคุณ",
                lead: "มีการลงชื่อเข้าใช้บัญชี %EMAIL% ด้วยรหัสกู้คืนแทนปัจจัยขั้นที่สอง รหัสนี้ใช้ไม่ได้อีกแล้ว",
                securityAdvice: "หากไม่ใช่คุณ ให้เปิดลิงก์นี้เพื่อรักษาความปลอดภัยบัญชีของคุณ",
                button: "รักษาความปลอดภัยบัญชี",
                closing: "หากไม่ใช่คุณ โปรดรีเซ็ตรหัสผ่านทันที")
        case .passkeyAdded:
            EmailText(
                subject: "เพิ่มพาสคีย์ในบัญชี %APP_NAME% ของคุณแล้ว",
                lead:
                    "มีการเพิ่มพาสคีย์ในบัญชี %EMAIL% ของคุณ พาสคีย์นี้ใช้ลงชื่อเข้าใช้ได้โดยไม่ต้องใช้รหัสผ่าน ชื่อพาสคีย์: %PASSKEY%",
                securityAdvice: "หากไม่ใช่คุณ ให้เปิดลิงก์นี้เพื่อนำออก",
                button: "นำพาสคีย์ออก",
                closing: "หากไม่ใช่คุณ โปรดติดต่อทีม %APP_NAME% ทันที")
        case .passkeyRemoved:
            EmailText(
                subject: "พาสคีย์ถูกนำออกจากบัญชี %APP_NAME% ของคุณแล้ว",
                lead:
                    "พาสคีย์ถูกนำออกจากบัญชี %EMAIL% ของคุณ และใช้ลงชื่อเข้าใช้ไม่ได้อีกแล้ว ชื่อพาสคีย์: %PASSKEY%",
                securityAdvice: "หากไม่ใช่คุณ ให้เปิดลิงก์นี้เพื่อรักษาความปลอดภัยบัญชีของคุณ",
                button: "รักษาความปลอดภัยบัญชี",
                closing: "หากไม่ใช่คุณ โปรดติดต่อทีม %APP_NAME% ทันที")
        }
    }
}
